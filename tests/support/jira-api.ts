import { documentProblems } from "./atlassian-document.ts";
import { asRecord, FakeApi, type FakeAnswer, type FakeApiOptions, type FakeRequest, jsonBody } from "./fake-api.ts";
import { vendorApi } from "./vendor-api/index.ts";
import { JIRA } from "./vendor-api/jira.ts";

const DESCRIPTION = vendorApi(JIRA, "jira.json");

export const JIRA_EMAIL = "bellhop@example.com";
export const JIRA_TOKEN = "ATATT3xFfGF0-abcdefghijkl";
const AUTHORIZATION = `Basic ${Buffer.from(`${JIRA_EMAIL}:${JIRA_TOKEN}`).toString("base64")}`;
const FIELDS = new Set([
  "project",
  "issuetype",
  "summary",
  "description",
  "environment",
  "labels",
  "priority",
  "customfield_10042",
]);
const TYPES: Record<string, string> = { "10010": "Bug", "10011": "Task" };
/** Transitions by the status that they start from. */
const WORKFLOW: Record<string, { id: string; name: string; to: string }[]> = {
  "To Do": [
    { id: "11", name: "Start work", to: "In Progress" },
    { id: "21", name: "Reject", to: "Done" },
    { id: "31", name: "Close", to: "Done" },
  ],
  "In Progress": [
    { id: "31", name: "Close", to: "Done" },
    { id: "41", name: "Escalate", to: "Blocked" },
    { id: "42", name: "escalate", to: "Waiting" },
    { id: "43", name: "ESCALATE", to: "Waiting" },
  ],
  Done: [],
};

export interface JiraIssue {
  id: string;
  key: string;
  status: string;
  fields: Record<string, unknown>;
  comments: unknown[];
}

/** The part of Jira Cloud's REST API, version 3, that the actions call, with one project. */
export class JiraApi extends FakeApi {
  readonly issues: JiraIssue[] = [];
  /** The scopes of a token with scopes; a token without them may do everything that its account may. */
  scopes: readonly string[] | null = null;

  static start(options: FakeApiOptions = {}): Promise<JiraApi> {
    return new JiraApi(options).listen();
  }

  issue(fields: Record<string, unknown> = { summary: "Disk full" }, status = "To Do"): JiraIssue {
    const number = this.issues.length + 1;
    const issue: JiraIssue = { id: String(10_100 + number), key: `OPS-${number}`, status, fields, comments: [] };
    this.issues.push(issue);
    return issue;
  }

  protected answer(request: FakeRequest): FakeAnswer {
    if (request.headers.authorization !== AUTHORIZATION) {
      const headers = { "x-seraph-loginreason": "AUTHENTICATED_FAILED" };
      return { status: 401, headers, text: "Client must be authenticated to access this resource." };
    }
    const { path, query, body } = request;
    if (this.scopes !== null && !this.scopes.includes(scopeFor(request))) {
      return { status: 401, json: { code: 401, message: "Unauthorized; scope does not match" } };
    }
    const contentType = request.headers["content-type"] ?? null;
    const problems = DESCRIPTION.check({ method: request.method, path, query, contentType, body });
    if (request.method !== "GET" && contentType?.split(";")[0] !== "application/json") return { status: 415, text: "" };
    this.problems.push(...problems.map((problem) => `${request.method} ${path}: ${problem}`));
    if (problems.length > 0) return refused(400, problems);
    const [collection, key, part] = path
      .replace(/^.*\/rest\/api\/3\//u, "")
      .split("/")
      .map(decodeURIComponent);
    const sent = jsonBody(body) ?? {};
    if (collection === "myself") {
      return { status: 200, json: { accountId: "5b10", displayName: "Bellhop Robot", emailAddress: JIRA_EMAIL } };
    }
    if (key === undefined) return this.#create(sent);
    const issue = this.issues.find((one) => one.key === key.toUpperCase() || one.id === key);
    if (issue === undefined) {
      return refused(404, ["Issue does not exist or you do not have permission to see it."]);
    }
    if (part === "comment") return this.#comment(issue, sent);
    if (part === "transitions") return request.method === "GET" ? offered(issue) : this.#move(issue, sent);
    return request.method === "PUT" ? this.#change(issue, sent) : read(issue, query);
  }

  #create(sent: Record<string, unknown>): FakeAnswer {
    const fields = asRecord(sent["fields"]) ?? {};
    const errors = fieldErrors(fields);
    if (typeof fields["summary"] !== "string" || fields["summary"] === "")
      errors["summary"] = "You must specify a summary of the issue.";
    if (!names(fields["project"], "key", "OPS", "10001")) errors["project"] = "valid project is required";
    const type = Object.entries(TYPES).some(([id, name]) => names(fields["issuetype"], "name", name, id));
    if (!type) errors["issuetype"] = "Specify a valid issue type";
    if (Object.keys(errors).length > 0) return refused(400, [], errors);
    const { id, key } = this.issue(fields);
    return { status: 201, json: { id, key, self: `https://acme.atlassian.net/rest/api/3/issue/${id}` } };
  }

  #change(issue: JiraIssue, sent: Record<string, unknown>): FakeAnswer {
    const fields = asRecord(sent["fields"]) ?? {};
    const errors = fieldErrors(fields);
    if (Object.keys(errors).length > 0) return refused(400, [], errors);
    Object.assign(issue.fields, fields);
    return { status: 204 };
  }

  #comment(issue: JiraIssue, { body }: Record<string, unknown>): FakeAnswer {
    const problems = documentProblems(body);
    this.problems.push(...problems);
    if (problems.length > 0) return refused(400, [], { comment: "Comment body is not valid!" });
    const content = asRecord(body)?.["content"];
    if (Array.isArray(content) && content.length === 0) {
      return refused(400, [], { comment: "Comment body can not be empty!" });
    }
    issue.comments.push(body);
    return { status: 201, json: { id: String(issue.comments.length), body } };
  }

  #move(issue: JiraIssue, sent: Record<string, unknown>): FakeAnswer {
    const id = asRecord(sent["transition"])?.["id"];
    const transition = (WORKFLOW[issue.status] ?? []).find((one) => one.id === id);
    if (transition === undefined) return refused(400, [`Transition id '${String(id)}' is not valid for this issue.`]);
    issue.status = transition.to;
    return { status: 204 };
  }
}

function scopeFor({ method, path }: FakeRequest): string {
  if (path.endsWith("/myself")) return "read:jira-user";
  return method === "GET" ? "read:jira-work" : "write:jira-work";
}

function offered({ status }: JiraIssue): FakeAnswer {
  const transitions = (WORKFLOW[status] ?? []).map(({ id, name, to }) => ({ id, name, to: { name: to } }));
  return { status: 200, json: { expand: "transitions", transitions } };
}

function read({ id, key, status, fields }: JiraIssue, query: URLSearchParams): FakeAnswer {
  const wanted = query.get("fields");
  const all: Record<string, unknown> = { ...fields, status: { name: status } };
  const shown = wanted === null ? all : { [wanted]: all[wanted] };
  return { status: 200, json: { id, key, fields: shown } };
}

function fieldErrors(fields: Record<string, unknown>): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!FIELDS.has(name)) {
      errors[name] = `Field '${name}' cannot be set. It is not on the appropriate screen, or unknown.`;
    }
    const isDocument = ["description", "environment", "customfield_10042"].includes(name);
    if (isDocument && value !== null && documentProblems(value).length > 0) {
      errors[name] = "Operation value must be an Atlassian Document (see the Atlassian Document Format)";
    }
  }
  const { summary } = fields;
  if (typeof summary === "string" && summary.includes("\n")) {
    errors["summary"] = "The summary is invalid because it contains newline characters.";
  }
  if (typeof summary === "string" && summary.length > 255)
    errors["summary"] = "Summary must be less than 255 characters.";
  return errors;
}

/** A reference names an object by its name or its id: `{key: "OPS"}` or `{id: "10001"}`. */
function names(reference: unknown, property: string, name: string, id: string): boolean {
  const entries = Object.entries(asRecord(reference) ?? {});
  const [[way, value] = []] = entries;
  return entries.length === 1 && ((way === property && value === name) || (way === "id" && value === id));
}

function refused(status: number, errorMessages: string[], errors: Record<string, string> = {}): FakeAnswer {
  return { status, json: { errorMessages, errors } };
}
