import type { ValueType } from "../../schema/contract/action-types.ts";

/** A path that a template may name where it is offered. */
export interface Completion {
  readonly path: string;
  readonly type: ValueType;
  /** A word on what it is. */
  readonly detail: string;
}
