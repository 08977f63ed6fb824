import type { ValueType } from "../../schema/contract/action-types.ts";

/** A path that a template may name at the place where it is offered. */
export interface Completion {
  readonly path: string;
  readonly type: ValueType;
  /** A short description. */
  readonly detail: string;
}
