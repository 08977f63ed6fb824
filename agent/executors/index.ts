import { CONNECTION_TYPES, type ConnectionType } from "../../schema/contract/connection.ts";
import type { Executor } from "./executor.ts";

type Loader<T extends ConnectionType> = (() => Promise<{ executor: Executor<T> }>) | null;

/** Imported on first use: loading every executor at once makes a cold start several times slower. Null: the service runs it. */
const LOADERS: { readonly [T in ConnectionType]: Loader<T> } = {
  ssh: () => import("./ssh.ts"),
  winrm: () => import("./winrm.ts"),
  script: () => import("./script.ts"),
  osService: () => import("./os-service.ts"),
  kubernetes: () => import("./kubernetes.ts"),
  database: () => import("./database.ts"),
  http: () => import("./http.ts"),
  ticketing: () => import("./ticketing.ts"),
  chat: () => import("./chat.ts"),
  teamchat: () => import("./teamchat.ts"),
  email: () => import("./email.ts"),
  notification: null,
  custom: () => import("./script.ts"),
};

/** The executor of a connection type; null where the service runs its actions. */
export async function loadExecutor(type: ConnectionType): Promise<Executor | null> {
  return (await LOADERS[type]?.())?.executor ?? null;
}

/** What this agent can do, for its registration; loads nothing. */
export function capabilities(): ConnectionType[] {
  return CONNECTION_TYPES.filter((type) => LOADERS[type] !== null);
}
