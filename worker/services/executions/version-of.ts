import type { Definition } from "../../../schema/contract/workflow.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { findVersion } from "../../store/workflow-versions.ts";
import type { RunnableVersion } from "../../store/workflow-versions.ts";
import type { Deps } from "../deps.ts";

const MAX_CACHED = 500;

/** Versions never change, so an isolate caches the last ones. */
const cache = new BoundedMap<string, RunnableVersion>(MAX_CACHED);

/** A published version. Throws when it is missing: versions outlive their executions. */
export async function versionOf(deps: Deps, versionId: string): Promise<RunnableVersion> {
  const cached = cache.get(versionId);
  if (cached !== undefined) return cached;
  const version = await findVersion(deps.db, versionId);
  if (version === null) throw new Error(`workflow version ${versionId} is not in the database`);
  cache.set(versionId, version);
  return version;
}

/** The graph of a version. */
export async function definitionOf(deps: Deps, versionId: string): Promise<Definition> {
  return (await versionOf(deps, versionId)).definition;
}
