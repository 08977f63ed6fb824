import type { Definition } from "../../../schema/contract/workflow.ts";
import type { ChildTarget, StepDeps } from "./engine/types.ts";
import { idsNamedIn } from "../../domain/graph/named-ids.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import type { PublishedVersion, RunnableVersion } from "../../store/workflow-versions.ts";
import type { Deps } from "../../services/deps.ts";
import { ProblemError } from "../../services/problem.ts";
import { resolveInputs } from "../../services/workflows/resolve-inputs.ts";
import { routesOf } from "./connection-routes.ts";

/** What a step of this version may use: read before it, since a step reads nothing itself. */
export async function stepDepsOf(deps: Deps, { definition, publishedByPerson }: RunnableVersion): Promise<StepDeps> {
  const [route, child] = await Promise.all([routesOf(deps, definition), childrenOf(deps, definition)]);
  return { newId: deps.newId, publishedBy: publishedByPerson, route, child };
}

/** The workflows that a definition starts: read anew each time, so that what is unpublished is not started (invariant 8). */
async function childrenOf(deps: Deps, definition: Definition): Promise<StepDeps["child"]> {
  const ids = idsNamedIn(definition).workflows;
  if (ids.length === 0) return () => null;
  const versions = await findPublishedVersions(deps.db, ids);
  const targets = new Map(versions.map((version) => [version.workflowId, toTarget(version)]));
  return (workflowId) => targets.get(workflowId) ?? null;
}

function toTarget({ versionId, trigger }: PublishedVersion): ChildTarget {
  return {
    versionId,
    resolve(variables) {
      if (trigger.type !== "manual" || trigger.inputs === undefined) return { ok: true, variables };
      try {
        return { ok: true, variables: resolveInputs(trigger.inputs, variables) };
      } catch (error) {
        if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
        return { ok: false, problem: error.errors.map(({ path, message }) => `${path} ${message}`).join("; ") };
      }
    },
  };
}
