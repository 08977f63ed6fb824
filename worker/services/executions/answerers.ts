import type { Role } from "../../../schema/contract/people.ts";
import { answerRefusal } from "../../domain/may-answer.ts";
import type { AnswerRule, Excluded } from "../../domain/may-answer.ts";
import type { ExecutionRow } from "../../store/execution-reads.ts";
import { findUsers } from "../../store/users.ts";
import { findChangers } from "../../store/workflow-versions.ts";
import type { Deps } from "../deps.ts";
import { BOOTSTRAP_PERSON, personOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import type { Runnable } from "./run-snapshot.ts";

const SHOWN_PEOPLE = 5;

const ROLE_LABELS = {
  viewer: "a viewer",
  operator: "an operator",
  editor: "an editor",
  admin: "an administrator",
} as const satisfies Record<Role, string>;

/**
 * The people whom `by: "another"` excludes. Changes count in everything that the answer lets run: the execution's
 * version, those of its ancestors, which chose its variables and continue after it, and those that any of these start.
 */
export async function excludedFrom(
  deps: Deps,
  row: Pick<ExecutionRow, "startedBy">,
  { versionIds, snapshot }: Runnable,
): Promise<Excluded> {
  const changers = await findChangers(deps.db, [...versionIds, ...Object.values(snapshot.versions)], BOOTSTRAP_PERSON);
  return { starters: row.startedBy, changers };
}

/** Throws `forbidden` with the reason when the caller may not answer. */
export async function requireAnswerer(
  deps: Deps,
  rule: AnswerRule,
  by: Principal,
  excluded: () => Promise<Excluded>,
): Promise<void> {
  const reason = await whyNotAnswerer(deps, rule, by, excluded);
  if (reason !== null) throw new ProblemError("forbidden", reason);
}

/** Why the caller may not answer; null when they may. */
export async function whyNotAnswerer(
  deps: Deps,
  rule: AnswerRule,
  by: Principal,
  excluded: () => Promise<Excluded>,
): Promise<string | null> {
  const isSignedIn = by.kind === "session" || by.kind === "oidc";
  const who = { person: personOf(by), role: by.role, isSignedIn };
  const refusal = answerRefusal(rule, who, rule.by === undefined ? NO_ONE : await excluded());
  switch (refusal) {
    case null:
      return null;
    case "token":
      return "A token cannot answer this approval. A person who is signed in must answer it.";
    case "starter":
      return "You started this execution, or an earlier one that it repeats. Another person must answer it.";
    case "changer":
      return "You changed what this execution runs, and no other person has published it since. Another person must answer it.";
    case "notApprover":
      return `Only ${await approverLabel(deps, rule)} may answer this approval. Ask one of them.`;
  }
}

/** The people who may answer, as the text after "someone's approval"; empty where everyone with the permission may. */
export async function answererLabel(deps: Deps, rule: AnswerRule, excluded: () => Promise<Excluded>): Promise<string> {
  const approvers = rule.approvers === undefined ? null : await approverLabel(deps, rule);
  if (rule.by === undefined) return approvers === null ? "" : `, by ${approvers}`;
  const { starters, changers } = await excluded();
  // The bootstrap token may be among both, but a token never answers.
  const people = new Set([...starters, ...changers].filter((id) => id !== BOOTSTRAP_PERSON));
  const others = await namesOf(deps, [...people]);
  if (others.length === 0) return `, by ${approvers ?? "a person"} who is signed in`;
  return approvers === null
    ? `, by another person than ${listed(others)}`
    : `, by ${approvers}, but not by ${listed(others)}`;
}

const NO_ONE: Excluded = { starters: [], changers: [] };

async function approverLabel(deps: Deps, { approvers = {} }: AnswerRule): Promise<string> {
  const { roles = [], people = [] } = approvers;
  return listed([...roles.map((role) => ROLE_LABELS[role]), ...(await namesOf(deps, people))]);
}

async function namesOf(deps: Deps, ids: readonly string[]): Promise<string[]> {
  const users = ids.length === 0 ? [] : await findUsers(deps.db, ids);
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return ids.map((id) => emails.get(id) ?? id);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_PEOPLE);
  const more = names.length - shown.length;
  const all = more === 0 ? shown : [...shown, `${more} more`];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} or ${all.at(-1) ?? ""}`;
}
