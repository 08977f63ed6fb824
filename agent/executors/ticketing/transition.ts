import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { ExecutorFailure, invalidParams } from "../shared/failures.ts";
import { listOf, textIn } from "../shared/json-members.ts";
import { quoted } from "../shared/quoted.ts";
import type { Jira } from "./jira.ts";

const LISTED_MAX = 20;

interface Transition {
  id: string;
  name: string;
  /** The name of the status it leads to. */
  to: string;
}

/**
 * Moves an issue through a transition, given by its id, its name, or the status it leads to, in any case. An issue that
 * already has that status is not changed: then `changed` is false.
 */
export async function transitionIssue(
  jira: Jira,
  issueKey: string,
  wanted: string,
  secrets: readonly string[],
): Promise<JsonObject> {
  const url = jira.site.api("issue", issueKey, "transitions");
  const offered = await jira.call({ method: "GET", url, to: `read the transitions of ${issueKey}`, mayHave: null });
  if (!Array.isArray(offered.members["transitions"])) {
    const message = `Jira's answer does not list the transitions of ${issueKey}. Nothing was changed: check serverUrl.`;
    throw new ExecutorFailure("invalid_response", message, offered.output);
  }
  const transitions = listOf(offered.members["transitions"]).flatMap(transitionIn);
  const name = wanted.trim();
  if (name === "") throw invalidParams("transition must not be empty.");
  const [chosen, ...others] = matching(transitions, name);
  if (chosen === undefined) {
    const status = await currentStatus(jira, issueKey);
    if (status !== null && same(status, name)) return { statusCode: 200, body: { status }, changed: false };
    throw noTransition({ issueKey, name, status, transitions, secrets });
  }
  if (others.length > 0) {
    const message =
      `${JSON.stringify(name)} means several transitions of ${issueKey}: ${list([chosen, ...others], secrets)}. Give the id ` +
      "of the transition.";
    throw new ExecutorFailure("invalid_params", message);
  }
  const answer = await jira.call({
    method: "POST",
    url,
    json: { transition: { id: chosen.id } },
    to: `move ${issueKey} by the transition ${quoted(chosen.name, secrets)}`,
    mayHave: `${issueKey} may have been moved. Check its status before you move it again.`,
  });
  return { ...answer.output, changed: true };
}

/** The first kind of name with a match counts: an id before a name, a name before a status. */
function matching(transitions: readonly Transition[], wanted: string): Transition[] {
  const ways = [
    ({ id }: Transition) => id === wanted,
    ({ name }: Transition) => name === wanted,
    ({ name }: Transition) => same(name, wanted),
    ({ to }: Transition) => same(to, wanted),
  ];
  return ways.map((way) => transitions.filter(way)).find((found) => found.length > 0) ?? [];
}

async function currentStatus(jira: Jira, issueKey: string): Promise<string | null> {
  const url = jira.site.api("issue", issueKey);
  url.searchParams.set("fields", "status");
  const { members } = await jira.call({ method: "GET", url, to: `read the status of ${issueKey}`, mayHave: null });
  return textIn(objectOf(objectOf(members["fields"])["status"])["name"]);
}

function noTransition(found: {
  issueKey: string;
  name: string;
  status: string | null;
  transitions: readonly Transition[];
  secrets: readonly string[];
}): ExecutorFailure {
  const { issueKey, name, status, transitions, secrets } = found;
  const now = status === null ? "" : ` from its status ${quoted(status, secrets)}`;
  const offered =
    transitions.length === 0
      ? "Its workflow offers this account no transitions"
      : `There are: ${list(transitions, secrets)}`;
  return new ExecutorFailure("not_found", `${issueKey} has no transition ${JSON.stringify(name)}${now}. ${offered}.`);
}

function list(transitions: readonly Transition[], secrets: readonly string[]): string {
  const shown = transitions
    .slice(0, LISTED_MAX)
    .map(({ id, name, to }) => `${quoted(name, secrets)} (id ${id}, to ${quoted(to, secrets)})`);
  return shown.join(", ") + (transitions.length > LISTED_MAX ? ", …" : "");
}

function transitionIn(value: JsonValue): Transition[] {
  const { id, name, to } = objectOf(value);
  const [key, label] = [textIn(id), textIn(name)];
  if (key === null || label === null) return [];
  return [{ id: key, name: label, to: textIn(objectOf(to)["name"]) ?? "" }];
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
