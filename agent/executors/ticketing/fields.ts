import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { invalidParams } from "../shared/failures.ts";
import { documentOf } from "./document.ts";

/** Fields of Jira itself whose texts REST v3 takes as documents only. Of custom fields their type is not known here. */
const DOCUMENT_FIELDS = ["description", "environment"];

/** The fields of a new issue. What a parameter says must not be said differently in `fields`. */
export function newIssueFields(params: ActionParams<"ticketing.createIssue">): JsonObject {
  const { projectKey, issueType, summary, description, fields = {} } = params;
  const document = description === undefined ? null : documentOrNull(description);
  const own: JsonObject = {
    project: byIdOr("key", projectKey.trim()),
    issuetype: byIdOr("name", issueType.trim()),
    // Jira refuses a summary of more than one line.
    summary: summary.replaceAll(/\s*[\r\n]+\s*/gu, " ").trim(),
    ...(document === null ? {} : { description: document }),
  };
  const twice = Object.keys(fields).filter(
    (name) => Object.hasOwn(own, name) || (name === "description" && description !== undefined),
  );
  if (twice.length > 0) {
    throw invalidParams(
      `fields must not contain ${twice.join(", ")}: projectKey, issueType, summary and description are parameters of their own.`,
    );
  }
  return { ...withDocuments(fields), ...own };
}

/** Fields whose plain texts are made what Jira takes. */
export function withDocuments(fields: JsonObject): JsonObject {
  const converted: JsonObject = { ...fields };
  for (const name of DOCUMENT_FIELDS) {
    const value = fields[name];
    if (typeof value === "string") converted[name] = documentOrNull(value);
  }
  return converted;
}

/** A text of which nothing is left, such as one of control characters, is none. */
function documentOrNull(text: string): JsonObject | null {
  const document = documentOf(text);
  return document.content.length === 0 ? null : document;
}

/** Keys and names are not all digits; ids are. */
function byIdOr(property: string, value: string): JsonObject {
  if (value === "") throw invalidParams("projectKey and issueType must not be empty.");
  return /^\d+$/u.test(value) ? { id: value } : { [property]: value };
}
