import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { invalidParams } from "../shared/failures.ts";
import { documentOf } from "./document.ts";

/** Jira's own fields that REST v3 accepts only as documents. The types of custom fields are not known here. */
const DOCUMENT_FIELDS = ["description", "environment"];

/** The fields of a new issue. `fields` must not repeat a parameter. */
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
      `fields must not contain ${twice.join(", ")}: projectKey, issueType, summary and description are separate parameters. Write them there.`,
    );
  }
  return { ...withDocuments(fields), ...own };
}

/** The fields, with plain text converted where Jira requires documents. */
export function withDocuments(fields: JsonObject): JsonObject {
  const converted: JsonObject = { ...fields };
  for (const name of DOCUMENT_FIELDS) {
    const value = fields[name];
    if (typeof value === "string") converted[name] = documentOrNull(value);
  }
  return converted;
}

/** Null for text without visible content, such as control characters. */
function documentOrNull(text: string): JsonObject | null {
  const document = documentOf(text);
  return document.content.length === 0 ? null : document;
}

/** Only ids consist of digits; keys and names do not. */
function byIdOr(property: string, value: string): JsonObject {
  if (value === "") throw invalidParams("projectKey and issueType must not be empty.");
  return /^\d+$/u.test(value) ? { id: value } : { [property]: value };
}
