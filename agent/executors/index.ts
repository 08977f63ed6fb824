import { CONNECTION_TYPES, type ConnectionType } from "../../schema/contract/connection.ts";
import type { Executor } from "./executor.ts";

/** Imported on first use: loading every executor at once makes a cold start several times slower. */
const LOADERS: Partial<Record<ConnectionType, () => Promise<{ executor: Executor }>>> = {
  ssh: () => import("./ssh.ts"),
  http: () => import("./http.ts"),
  kubernetes: () => import("./kubernetes.ts"),
  email: () => import("./email.ts"),
  chat: () => import("./chat.ts"),
  ticketing: () => import("./ticketing.ts"),
  teamchat: () => import("./teamchat.ts"),
  database: () => import("./database.ts"),
  winrm: () => import("./winrm.ts"),
  script: () => import("./script.ts"),
  osService: () => import("./os-service.ts"),
  custom: () => import("./script.ts"),
};

/** The executor of a connection type; null where this build has none. */
export async function loadExecutor(type: ConnectionType): Promise<Executor | null> {
  const load = LOADERS[type];
  return load === undefined ? null : (await load()).executor;
}

/** What this agent can do, for its registration; loads nothing. */
export function capabilities(): ConnectionType[] {
  return CONNECTION_TYPES.filter((type) => LOADERS[type] !== undefined);
}
