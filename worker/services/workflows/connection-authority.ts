import type { UsableBy } from "../../../schema/contract/usable-by.ts";
import { actionsOf, changedActions } from "../../domain/code-changes.ts";
import type { PlacedAction } from "../../domain/code-changes.ts";
import { isUsableIn, mayUse } from "../../domain/credential/may-use.ts";
import { firstNames } from "../../domain/shown-errors.ts";
import { connectionsNamedBy } from "../../domain/graph/walk.ts";
import { findRestrictions } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { personOf } from "../principal.ts";
import type { Rule } from "./authority-rule.ts";

/** A place in a definition that names a connection with a `usableBy`. */
export interface RestrictedUse {
  /** `definition.nodes.0.connectionId` */
  path: string;
  connectionId: string;
  usableBy: UsableBy;
}

/**
 * Decides who may name a connection in a workflow. In a draft: people who may use it, and everyone if the workflow is
 * listed; an unchanged node is not checked. In a version: people who may use it, and if the workflow is listed also
 * those with `credentials:write`: anyone may edit its draft, so publishing decides.
 */
export const mayUseConnections: Rule = async (deps, by, { step, workflowId, before, after }) => {
  const who = { person: personOf(by), role: by.role };
  const uses = await restrictedUses(deps, step === "publish" ? actionsOf(after) : changedActions(before, after));
  const refused = uses.filter(({ usableBy }) => {
    if (mayUse(usableBy, who)) return false;
    return !isUsableIn(usableBy, workflowId) || (step === "publish" && !by.permissions.has("credentials:write"));
  });
  if (refused.length === 0) return [];
  const places = refused.map(({ path, connectionId }) => `${connectionId} (${path})`);
  const isListed = refused.every(({ usableBy }) => isUsableIn(usableBy, workflowId));
  const out = isListed
    ? "Have someone publish the workflow who may use the connection or has the permission credentials:write."
    : "Choose another connection, or ask an administrator to add you to usableBy.";
  return [
    {
      detail: `You may not use the connection ${firstNames(places)}. ${out}`,
      errors: refused.map(({ path, connectionId }) => ({
        path,
        message: `is a connection that you may not use: usableBy of ${connectionId} lists who may`,
      })),
    },
  ];
};

/** The places where these nodes name connections with a `usableBy`. */
export async function restrictedUses(deps: Deps, actions: readonly PlacedAction[]): Promise<RestrictedUse[]> {
  const uses = actions.flatMap(({ path, node }) =>
    connectionsNamedBy(node).map((connectionId) => {
      const field = connectionId === node.connectionId ? "connectionId" : "params.secretsFrom";
      return { path: `definition.${path}.${field}`, connectionId };
    }),
  );
  if (uses.length === 0) return [];
  const ids = new Set(uses.map(({ connectionId }) => connectionId));
  const restrictions = await findRestrictions(deps.db, [...ids]);
  return uses.flatMap((use) => {
    const usableBy = restrictions.get(use.connectionId);
    return usableBy === undefined ? [] : [{ ...use, usableBy }];
  });
}
