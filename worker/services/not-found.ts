import { ProblemError } from "./problem.ts";

const SHOWN_CHARS = 80;

const API = "/api/v1/automation";
/** The list of each kind, which the error names. */
const LISTS: Readonly<Record<string, string>> = {
  agent: `${API}/agents`,
  connection: `${API}/connections`,
  execution: `${API}/executions`,
  incident: `${API}/incidents`,
  integration: `${API}/integrations`,
  limit: `${API}/limits`,
  "maintenance window": `${API}/maintenance-windows`,
  "notification channel": `${API}/notification-channels`,
  "notification receiver": `${API}/notification-receivers`,
  "notification rule": `${API}/notification-rules`,
  pool: `${API}/pools`,
  token: "/api/v1/auth/tokens",
  user: `${API}/users`,
  workflow: `${API}/workflows`,
};

/** 404 for one item. Its detail names kind and id: `There is no agent agt_….` */
export function notFound(kind: string, id: string): ProblemError {
  const shown = id.length > SHOWN_CHARS ? `${id.slice(0, SHOWN_CHARS)}…` : id;
  const list = LISTS[kind];
  const where =
    list === undefined
      ? "Look for it in its execution."
      : `It may have been deleted. GET ${list} lists the existing ones.`;
  return new ProblemError("not_found", `There is no ${kind} ${shown}. ${where}`);
}
