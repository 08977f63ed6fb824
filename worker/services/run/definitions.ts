import type { Definition } from "../../../schema/contract/workflow.ts";
import { findVersionDefinition } from "../../store/workflow-versions.ts";
import type { Deps } from "../deps.ts";

const MAX_CACHED = 500;

/** Versions never change, so an isolate keeps those it used last. */
const cache = new Map<string, Definition>();

/** The graph of a published version. Throws when there is none: versions outlive their executions. */
export async function definitionOf(deps: Deps, versionId: string): Promise<Definition> {
  const cached = cache.get(versionId);
  if (cached !== undefined) return cached;
  const definition = await findVersionDefinition(deps.db, versionId);
  if (definition === null) throw new Error(`workflow version ${versionId} is not in the database`);
  if (cache.size >= MAX_CACHED) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(versionId, definition);
  return definition;
}
