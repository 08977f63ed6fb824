import { described, object } from "./shapes.ts";

const text = { type: "string" };
const fields = { "fields!": { type: "object" } };

/**
 * The calls of Jira Cloud's REST API, version 3, that the actions make
 * (https://developer.atlassian.com/cloud/jira/platform/rest/v3).
 */
export const JIRA = described({
  "GET /rest/api/3/myself": {},
  "POST /rest/api/3/issue": { body: object(fields) },
  "GET /rest/api/3/issue/{key}": { query: { fields: text } },
  "PUT /rest/api/3/issue/{key}": { body: object(fields) },
  "POST /rest/api/3/issue/{key}/comment": { body: object({ "body!": {} }) },
  "GET /rest/api/3/issue/{key}/transitions": {},
  "POST /rest/api/3/issue/{key}/transitions": { body: object({ "transition!": object({ "id!": text }) }) },
});
