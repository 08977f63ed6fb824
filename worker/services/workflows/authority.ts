import { codeChanges } from "../../domain/code-changes.ts";
import { firstNames, shownErrors } from "../../domain/shown-errors.ts";
import type { Deps } from "../deps.ts";
import { missingPermission } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import type { AuthorityChange, Refusal, Rule } from "./authority-rule.ts";
import { mayUseConnections } from "./connection-authority.ts";

/** Every rule runs, so that an answer has all refusals. */
const RULES: readonly Rule[] = [mayChangeCode, mayUseConnections];

/** Throws `forbidden` unless this person has the authority for a change of a definition. */
export async function requireAuthority(deps: Deps, by: Principal, change: AuthorityChange): Promise<void> {
  const refusals = await findRefusals(deps, by, change);
  if (refusals.length > 0) throw forbidden(refusals);
}

/** The same without throwing, for an answer that lists problems. */
export async function findRefusals(deps: Deps, by: Principal, change: AuthorityChange): Promise<Refusal[]> {
  return (await Promise.all(RULES.map((rule) => rule(deps, by, change)))).flat();
}

export function forbidden(refusals: readonly Refusal[]): ProblemError {
  const detail = refusals.map((refusal) => refusal.detail).join(" ");
  return new ProblemError("forbidden", detail, { errors: shownErrors(refusals.flatMap(({ errors }) => errors)) });
}

async function mayChangeCode(_deps: Deps, by: Principal, { before, after }: AuthorityChange): Promise<Refusal[]> {
  if (by.permissions.has("code:write")) return [];
  const changes = codeChanges(before, after);
  if (changes.length === 0) return [];
  const nodes = changes.map(({ path, node }) => `definition.${path} (${node.id})`);
  return [
    {
      detail: missingPermission(by, "code:write", firstNames(nodes)),
      errors: changes.map(({ path, node }) => ({
        path: `definition.${path}`,
        message: `needs the permission code:write: ${node.action} runs code or changes its target`,
      })),
    },
  ];
}
