import type { ActionName } from "../../schema/contract/action.ts";

/** A line on a parameter where its name does not say enough; null where it does, or where the contract has one. */
export function paramWords(action: ActionName, name: string): string | null {
  const own = OWN[action]?.[name];
  return own ?? (Object.hasOwn(SHARED, name) ? (SHARED[name] ?? null) : null);
}

const SHARED: Readonly<Record<string, string>> = {
  namespace: "The connection's own when it is empty.",
  wait: "Whether the node ends only when the rollout has.",
  channel: "The connection's default when it is empty.",
  threadTs: "Answers in the thread of that message.",
  ts: "Of the message, as chat.sendMessage gave it.",
  blocks: "The message's layout, as JSON; the text is then what notifications show.",
  arguments: "What the script gets as its arguments: a safe way in for any value.",
  env: "What the script finds beside its own environment: a safe way in for any value.",
  parameters:
    "What :name in the query stands for: a safe way in for any value. A list or an object is bound as its JSON.",
  workingDirectory:
    "Where it runs on the agent's machine. When this is empty, in a new directory that is removed afterwards.",
  to: "One address or several, separated by commas.",
  cc: "One address or several, separated by commas.",
  bcc: "One address or several, separated by commas.",
};

const OWN: Readonly<Partial<Record<ActionName, Readonly<Record<string, string>>>>> = {
  "ssh.executeScript": { interpreter: "The program on the host that reads the script, such as bash, python3 or pwsh." },
  "http.request": {
    path: "Below the connection's base URL. A value in it is one part of the path: its slashes are escaped.",
    url: "Instead of a path: a complete address. A connection with a credential stays below its base URL.",
    query: "Added to the address; values are escaped.",
    body: "JSON. A template may stand for any value in it.",
    expectStatus: "The statuses that count as success, separated by commas. Without it, all below 400.",
  },
  "kubernetes.rollbackDeployment": { revision: "The one before the present one when it is empty." },
  "kubernetes.getLogs": {
    container: "Needed where the pod has several.",
    tailLines: "Only so many lines from the end.",
    sinceSeconds: "Only what was written in the last so many seconds.",
    previous: "Of the container that ran before, such as one that crashed.",
  },
  "kubernetes.deletePod": { gracePeriodSeconds: "How long the pod may take to stop; its own period when it is empty." },
  "database.executeQuery": {
    maxRows: "More rows than these are cut off.",
    readOnly: "Whether the database is to refuse changes. A query that only reads may be repeated.",
  },
  "notification.sendNotification": { channel: "How the service sends it." },
};
