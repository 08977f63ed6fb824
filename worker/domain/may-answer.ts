import type { Role } from "../../schema/contract/people.ts";
import type { ApprovalNode } from "../../schema/contract/workflow.ts";

/** An approval's rule about who may answer it. */
export type AnswerRule = Pick<ApprovalNode, "by" | "approvers">;

export interface Answerer {
  /** Null for a token without an owner. */
  readonly person: string | null;
  readonly role: Role | null;
  /** By a session or the issuer, not by a token. */
  readonly isSignedIn: boolean;
}

/** The people, by id, whom `by: "another"` excludes. */
export interface Excluded {
  /** The people who started the execution, the one that it repeats, or its parent. */
  readonly starters: readonly string[];
  /** The people who changed what runs since another person last published it. */
  readonly changers: readonly string[];
}

export type AnswerRefusal = "token" | "starter" | "changer" | "notApprover";

/** The reason why someone may neither approve nor reject (a rejection can lead on, too); null when they may. */
export function answerRefusal(rule: AnswerRule, who: Answerer, excluded: Excluded): AnswerRefusal | null {
  if (!isApprover(rule, who)) return "notApprover";
  if (rule.by === undefined) return null;
  if (!who.isSignedIn || who.person === null) return "token";
  if (excluded.starters.includes(who.person)) return "starter";
  return excluded.changers.includes(who.person) ? "changer" : null;
}

/** Whether `approvers` lists the person, or the role that the person has now. */
export function isApprover({ approvers }: AnswerRule, { person, role }: Omit<Answerer, "isSignedIn">): boolean {
  if (approvers === undefined) return true;
  const { people = [] } = approvers;
  const roles: readonly Role[] = approvers.roles ?? [];
  return (role !== null && roles.includes(role)) || (person !== null && people.includes(person));
}
