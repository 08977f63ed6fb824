import { isDeepStrictEqual } from "node:util";
import { actionsOf } from "../../domain/code-changes.ts";
import { isUsableIn } from "../../domain/credential/may-use.ts";
import { withoutLayout } from "../../domain/definition-layout.ts";
import { changersSince, findLatestVersion, findVersionOf } from "../../store/workflows.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { invalidInput } from "../parse.ts";
import { personOf, withPerson } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { restrictedUses } from "./connection-authority.ts";

type Content = Pick<WorkflowRow, "trigger" | "definition">;

/** The content that becomes live, and its predecessor. */
export interface PublishTarget {
  content: Content;
  /** The latest version when it has this content; null when a new one is needed. */
  existing: WorkflowVersionRow | null;
  /** The latest version: the last one that was live. Null before the first. */
  before: WorkflowVersionRow | null;
  /** Who changed the content since `before`. */
  changedBy: string[];
  /** Who changed the draft beyond this content. */
  draftChangedBy: string[];
  isEarlier: boolean;
}

/**
 * The draft, or the named version of the workflow. Content of the latest version makes no new version, unless the
 * publisher decides which connections a version may use and is now another person. An earlier version is copied to a new
 * one: each change of the live content is a row with its publisher, and is compared with the content that was live.
 */
export async function findTarget(
  deps: Deps,
  by: Principal,
  row: WorkflowRow,
  versionId: string | null,
): Promise<PublishTarget> {
  const before = await findLatestVersion(deps.db, row.id);
  const asked = versionId === null ? null : await findVersionOf(deps.db, row.id, versionId);
  if (versionId !== null && asked === null) {
    throw invalidInput([{ path: "versionId", message: "is not a version of this workflow" }]);
  }
  const isUnchanged = before !== null && isSame(asked ?? row, before) && !(await takesOver(deps, by, before));
  const existing = isUnchanged ? before : null;
  if (asked === null) {
    return { content: row, existing, before, changedBy: row.changedBy, draftChangedBy: [], isEarlier: false };
  }
  return {
    content: asked,
    existing,
    before,
    // Going back to a version is a change that the caller makes.
    changedBy: withPerson(asked.changedBy, by),
    draftChangedBy: isSame(row, asked)
      ? []
      : [...new Set([...row.changedBy, ...(await changersSince(deps.db, asked))])],
    isEarlier: true,
  };
}

/** Whether the version would count as another person's, when its publisher decides which connections it may use. */
async function takesOver(deps: Deps, by: Principal, version: WorkflowVersionRow): Promise<boolean> {
  if (version.publishedByPerson === personOf(by)) return false;
  const restricted = await restrictedUses(deps, actionsOf(version.definition));
  return restricted.some(({ usableBy }) => !isUsableIn(usableBy, version.workflowId));
}

/** Layout does not make another version. */
function isSame(a: Content, b: Content): boolean {
  return (
    isDeepStrictEqual(a.trigger, b.trigger) &&
    isDeepStrictEqual(withoutLayout(a.definition), withoutLayout(b.definition))
  );
}
