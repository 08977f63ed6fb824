import { CONNECTION_TYPES, type ConnectionType } from "../../schema/contract/connection.ts";
import type { Executor } from "./executor.ts";

type Loader<T extends ConnectionType> = (() => Promise<{ executor: Executor<T> }>) | null;

/** Imported on first use: loading every executor at once makes a cold start several times slower. Null: the service runs it. */
const LOADERS: { readonly [T in ConnectionType]: Loader<T> } = {
  ssh: () => import("./ssh/index.ts"),
  winrm: () => import("./winrm/index.ts"),
  script: () => import("./script/index.ts"),
  osService: () => import("./os-service/index.ts"),
  kubernetes: () => import("./kubernetes/index.ts"),
  database: () => import("./database/index.ts"),
  redis: () => import("./redis/index.ts"),
  http: () => import("./http/index.ts"),
  ticketing: () => import("./ticketing/index.ts"),
  chat: () => import("./chat/index.ts"),
  teamchat: () => import("./teamchat/index.ts"),
  email: () => import("./email/index.ts"),
  notification: null,
  custom: () => import("./script/index.ts"),
};

/** The executor of a connection type; null where the service runs its actions. */
export async function loadExecutor(type: ConnectionType): Promise<Executor | null> {
  return (await LOADERS[type]?.())?.executor ?? null;
}

/** What this agent can do, for its registration; loads nothing. */
export function capabilities(): ConnectionType[] {
  return CONNECTION_TYPES.filter((type) => LOADERS[type] !== null);
}
