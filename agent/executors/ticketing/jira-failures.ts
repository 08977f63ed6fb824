import type { JsonValue } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import type { ApiAnswer } from "../shared/json-api.ts";
import { listOf } from "../shared/json-members.ts";
import { quoted } from "../shared/quoted.ts";

interface Asked {
  to: string;
  mayHave: string | null;
  host: string;
  secrets: readonly string[];
}

/** Why an answer of Jira is a failure; null when it is a success. */
export function jiraFailure(answer: ApiAnswer, asked: Asked): ExecutorFailure | null {
  const refusal = refusedLogin(answer, asked);
  if (refusal !== null) return refusal;
  const { status, output } = answer;
  if (status >= 200 && status < 300) {
    if (!isPage(answer)) return null;
    const message = `${asked.host} answered with a web page, so it is not Jira's REST API. Check serverUrl and the proxies in between.`;
    return new ExecutorFailure("invalid_response", message, output);
  }
  const said = isPage(answer) ? "" : saidBy(answer, asked.secrets);
  const reason = said === "" ? "" : ` Jira says: ${said}`;
  const { code, remedy } = meaning(status, said, asked);
  return new ExecutorFailure(code, `Jira did not ${asked.to} (status ${status}).${reason} ${remedy}`.trimEnd(), output);
}

/**
 * With a wrong token Jira may continue without a login, and then answers that the project or the issue does not exist.
 * These headers show the refused login.
 */
function refusedLogin(answer: ApiAnswer, { host, secrets }: Asked): ExecutorFailure | null {
  const { status, headers, output } = answer;
  const denied = String(headers["x-authentication-denied-reason"] ?? "");
  const login = String(headers["x-seraph-loginreason"] ?? "");
  const fail = (message: string): ExecutorFailure => new ExecutorFailure("authentication_failed", message, output);
  if (denied.includes("CAPTCHA") || login.includes("AUTHENTICATION_DENIED")) {
    const reason = denied === "" ? "" : ` (${quoted(denied.split(";")[0], secrets)})`;
    return fail(
      `${host} refuses logins by this account until a person has solved a CAPTCHA${reason}: sign in once in a browser ` +
        "with the account, then run this again.",
    );
  }
  if (status !== 401 && !login.includes("AUTHENTICATED_FAILED")) return null;
  const said = status === 401 && !isPage(answer) ? saidBy(answer, secrets) : "";
  const reason = said === "" ? "" : ` Jira says: ${said.replace(/\.$/u, "")}.`;
  if (/\bscopes?\b/iu.test(said)) {
    const message =
      `${host} refused the API token: it lacks a scope.${reason} Make a token with the scopes read:jira-work and ` +
      "write:jira-work, and read:jira-user for the connection's test, and deliver it as apiToken.";
    return new ExecutorFailure("permission_denied", message, output);
  }
  return fail(
    `${host} refused the login.${reason} The email address and the API token do not belong together, or the token was revoked or ` +
      "has expired. Check the connection's email, and deliver a new apiToken.",
  );
}

function meaning(status: number, said: string, { mayHave }: Asked): { code: string; remedy: string } {
  if (status === 403) {
    return { code: "permission_denied", remedy: "The account may not do this: check its permissions in the project." };
  }
  if (status === 404) {
    return { code: "not_found", remedy: "Check the key, and that the account may see the issue." };
  }
  if (status >= 500) {
    if (mayHave === null) return { code: "http_status", remedy: "Jira has an internal error. Try again later." };
    return { code: "outcome_unknown", remedy: mayHave };
  }
  const wantsDocument = /Atlassian Document/u.test(said);
  const remedy = wantsDocument
    ? 'Write a field of several lines as a document: {"type": "doc", "version": 1, "content": […]}.'
    : "";
  return { code: "rejected", remedy };
}

/** `errorMessages` and `errors` of an answer in one sentence. */
function saidBy({ members, output }: ApiAnswer, secrets: readonly string[]): string {
  const general = listOf(members["errorMessages"]).map(textOf);
  const fields = Object.entries(objectOf(members["errors"])).map(([field, text]) => `${field}: ${textOf(text)}`);
  const single = [members["message"], members["errorMessage"]].filter((text) => typeof text === "string");
  const parts = [...general, ...fields, ...single]
    .map((part) => part.trim().replace(/\.$/u, ""))
    .filter((part) => part !== "");
  if (parts.length > 0) return `${quoted(parts.join("; "), secrets)}.`;
  return quoted(output["body"], secrets);
}

function isPage({ headers }: ApiAnswer): boolean {
  return /html/u.test(headers["content-type"] ?? "");
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
