import type { ConnectionType } from "../../../schema/contract/connection.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { TargetList } from "../../../schema/contract/target-list.ts";

/** A workflow that others may call. */
export interface CallableWorkflow {
  readonly name: string;
  /** The inputs of its published version; null when it is not published, or accepts any variables. */
  readonly inputs: Readonly<Record<string, { required?: boolean | undefined; default?: unknown }>> | null;
}

/** The facts that saving needs about the ids in a definition. Null when there is no such id. */
export interface GraphLookup {
  connection(id: string): {
    type: ConnectionType;
    enabled: boolean;
    assigned: boolean;
    /** Null for a connection to one host. */
    targets: TargetList | null;
    /** A possible mistake in its configuration. */
    mistake?: FieldError | null;
  } | null;
  workflow(id: string): CallableWorkflow | null;
  person(id: string): boolean;
}
