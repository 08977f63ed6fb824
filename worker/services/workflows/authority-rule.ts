import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "../principal.ts";

/** A reason why a person may not save or publish a definition: a sentence, and the places that it is about. */
export interface Refusal {
  detail: string;
  errors: readonly FieldError[];
}

/** A definition and its predecessor; `before` is null for a new workflow, and for the first version. */
export interface AuthorityChange {
  /** A version is published, or a draft is saved. */
  step: "save" | "publish";
  /** Null for a new workflow. */
  workflowId: string | null;
  before: Definition | null;
  after: Definition;
}

/** Returns the reasons to refuse a change; none when the rule allows it. */
export type Rule = (deps: Deps, by: Principal, change: AuthorityChange) => Promise<readonly Refusal[]>;
