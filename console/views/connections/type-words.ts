import type { ConnectionType } from "../../../schema/contract/connection.ts";

export interface TypeWords {
  label: string;
  /** What workflows do with it. */
  does: string;
  /** What one must have at hand to set it up. */
  needs: string;
}

/** The 13 connection types in words, in the order in which they are offered. */
export const TYPE_WORDS: Readonly<Record<ConnectionType, TypeWords>> = {
  ssh: {
    label: "SSH",
    does: "Commands and scripts on hosts with a POSIX shell.",
    needs: "A host, an account on it, and that account's password or private key.",
  },
  winrm: {
    label: "WinRM",
    does: "Commands and PowerShell on Windows hosts.",
    needs: "A Windows host with remote management switched on, and an account's name and password.",
  },
  script: {
    label: "Script",
    does: "Bash, Python and PowerShell on the agent's own host.",
    needs: "Only an agent or a pool: the scripts run there, as an account for jobs where the agent has one.",
  },
  osService: {
    label: "OS service",
    does: "Starts, stops and restarts services of the agent's host.",
    needs: "Only an agent, whose account may manage the services. Give it to one agent rather than to a pool.",
  },
  kubernetes: {
    label: "Kubernetes",
    does: "Restarts, scales and rolls back deployments, deletes pods, reads logs.",
    needs:
      "A kubeconfig or a service account's token; or nothing, where the agent has a kubeconfig or runs in the cluster.",
  },
  database: {
    label: "Database",
    does: "Queries on PostgreSQL, MySQL and MariaDB, SQL Server and SQLite.",
    needs: "A server and a database, and the name and password of an account of that database.",
  },
  http: {
    label: "HTTP",
    does: "Requests to any HTTP interface.",
    needs: "The interface's address, and a token, key or login where it asks for one.",
  },
  ticketing: {
    label: "Ticketing",
    does: "Creates and changes issues in Jira Cloud.",
    needs: "The Jira site, and an account's email address and API token.",
  },
  chat: {
    label: "Chat",
    does: "Messages and reactions in Slack.",
    needs: "A Slack app's bot token (xoxb-…), and the id of the channel that it writes to.",
  },
  teamchat: {
    label: "Team chat",
    does: "Messages and Adaptive Cards in Microsoft Teams.",
    needs: "The webhook address of a Teams channel. It is a secret, so it is delivered sealed after saving.",
  },
  email: {
    label: "Email",
    does: "Mail through a server that the agent reaches.",
    needs: "A mail server and a sender's address, and a password where the server asks for a login.",
  },
  notification: {
    label: "Notification",
    does: "Mail, text messages and webhooks that the service sends itself.",
    needs: "Nothing here: the channels are set up once for the whole service, and no agent is involved.",
  },
  custom: {
    label: "Custom",
    does: "Fields and secrets of your own, for scripts.",
    needs: "Names and values that scripts find as environment variables; secrets are delivered after saving.",
  },
};

export const TYPES_IN_ORDER = Object.keys(TYPE_WORDS).filter(isConnectionType);

/** Whether a text, such as one from the page's address, names a type. */
export function isConnectionType(text: string | null): text is ConnectionType {
  return text !== null && Object.hasOwn(TYPE_WORDS, text);
}
