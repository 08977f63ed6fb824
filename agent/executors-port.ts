import type { ConnectionType } from "../schema/contract/connection.ts";
import type { Executor } from "./executors/executor.ts";

/** What the core needs of the executors: implemented by `agent/executors/index.ts`, and by fakes in tests. */
export interface Executors {
  load(type: ConnectionType): Promise<Executor | null>;
  capabilities(): ConnectionType[];
}
