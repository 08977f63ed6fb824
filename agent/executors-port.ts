import type { ConnectionType } from "../schema/contract/connection.ts";
import type { Executor } from "./executors/executor.ts";

/** What the core needs of the executors: `agent/executors/index.ts` has it, and tests bring their own. */
export interface Executors {
  load(type: ConnectionType): Promise<Executor | null>;
  capabilities(): ConnectionType[];
}
