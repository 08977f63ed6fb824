import type { ConnectionType } from "../../../schema/contract/connection.ts";

/** A workflow that others may call. */
export interface CallableWorkflow {
  readonly name: string;
  /** Those that its published version declares; null when it is not published, or takes whatever it is given. */
  readonly inputs: Readonly<Record<string, { required?: boolean | undefined; default?: unknown }>> | null;
}

/** What saving must know of what a definition names. Null where there is none of that id. */
export interface GraphLookup {
  connection(id: string): { type: ConnectionType; enabled: boolean; assigned: boolean } | null;
  workflow(id: string): CallableWorkflow | null;
  /** Whether there is a user of that id. */
  person(id: string): boolean;
}
