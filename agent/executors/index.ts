import { CONNECTION_TYPES, type ConnectionType } from "../../schema/contract/connection.ts";
import type { Executor } from "./executor.ts";

interface Entry<T extends ConnectionType> {
  /** Whether it starts a program of the host; every other type is inside the executable. */
  needsProgram: boolean;
  /** Null: the service runs it. */
  load: (() => Promise<{ executor: Executor<T> }>) | null;
}

/** Imported on first use: loading all executors makes a cold start several times slower. */
const EXECUTORS: { readonly [T in ConnectionType]: Entry<T> } = {
  ssh: { needsProgram: false, load: () => import("./ssh/index.ts") },
  winrm: { needsProgram: false, load: () => import("./winrm/index.ts") },
  script: { needsProgram: true, load: () => import("./script/index.ts") },
  osService: { needsProgram: true, load: () => import("./os-service/index.ts") },
  kubernetes: { needsProgram: false, load: () => import("./kubernetes/index.ts") },
  database: { needsProgram: false, load: () => import("./database/index.ts") },
  redis: { needsProgram: false, load: () => import("./redis/index.ts") },
  http: { needsProgram: false, load: () => import("./http/index.ts") },
  ticketing: { needsProgram: false, load: () => import("./ticketing/index.ts") },
  chat: { needsProgram: false, load: () => import("./chat/index.ts") },
  teamchat: { needsProgram: false, load: () => import("./teamchat/index.ts") },
  email: { needsProgram: false, load: () => import("./email/index.ts") },
  notification: { needsProgram: false, load: null },
  custom: { needsProgram: true, load: () => import("./script/index.ts") },
};

/** The executor of a connection type; null when the service runs its actions. */
export async function loadExecutor(type: ConnectionType): Promise<Executor | null> {
  return (await EXECUTORS[type].load?.())?.executor ?? null;
}

/** The connection types that this agent registers for. Loads nothing. */
export function capabilities(): ConnectionType[] {
  return CONNECTION_TYPES.filter((type) => EXECUTORS[type].load !== null);
}

/** Whether the type's actions start a program of the host. */
export function needsProgram(type: ConnectionType): boolean {
  return EXECUTORS[type].needsProgram;
}
