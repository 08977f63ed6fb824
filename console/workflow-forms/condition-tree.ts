import type { Condition, ConditionGroup } from "../../schema/contract/condition.ts";
import { CONDITION_MAX_DEPTH } from "../../schema/limits.ts";

/** The position of a member: its index in the root group, then in the group there, and so on. */
export type TreePath = readonly number[];
type Member = Condition | ConditionGroup;

export const EMPTY_CONDITION: Condition = { field: "", operator: "equals", value: "" };

/** The tree after a change, and the new position of the changed member. */
export interface Moved {
  readonly group: ConditionGroup;
  readonly at: TreePath;
}

export function replaceMember(group: ConditionGroup, path: TreePath, member: Member): ConditionGroup {
  return change(group, path, (members, index) => members.with(index, member));
}

/** Adds a member at the end of the group at `groupPath`. */
export function addMember(group: ConditionGroup, groupPath: TreePath, member: Member): Moved {
  const target = groupAt(group, groupPath);
  if (target === null) return { group, at: groupPath };
  const conditions = [...target.conditions, member];
  return {
    group: replaceGroup(group, groupPath, { ...target, conditions }),
    at: [...groupPath, conditions.length - 1],
  };
}

export function removeMember(group: ConditionGroup, path: TreePath): ConditionGroup {
  return change(group, path, (members, index) => members.toSpliced(index, 1));
}

/** Moves a member one level in: into the group just above, or into a new group. Null at the deepest level. */
export function indent(group: ConditionGroup, path: TreePath): Moved | null {
  const parentPath = path.slice(0, -1);
  const index = path.at(-1);
  const parent = groupAt(group, parentPath);
  const member = index === undefined ? undefined : parent?.conditions[index];
  if (parent === null || index === undefined || member === undefined) return null;
  if (path.length + depthOf(member) >= CONDITION_MAX_DEPTH) return null;
  const before = parent.conditions[index - 1];
  if (before !== undefined && "conditions" in before) {
    const grown = { ...before, conditions: [...before.conditions, member] };
    const conditions = parent.conditions.toSpliced(index - 1, 2, grown);
    const at = [...parentPath, index - 1, grown.conditions.length - 1];
    return { group: replaceGroup(group, parentPath, { ...parent, conditions }), at };
  }
  const wrapped: ConditionGroup = { logic: parent.logic === "all" ? "any" : "all", conditions: [member] };
  return { group: replaceMember(group, path, wrapped), at: [...path, 0] };
}

/** Moves a member one level out, after its group; a group that becomes empty is removed. Null at the top level. */
export function outdent(group: ConditionGroup, path: TreePath): Moved | null {
  const index = path.at(-1);
  const groupPath = path.slice(0, -1);
  const groupIndex = groupPath.at(-1);
  const outerPath = groupPath.slice(0, -1);
  const inner = groupAt(group, groupPath);
  const outer = groupAt(group, outerPath);
  if (index === undefined || groupIndex === undefined || inner === null || outer === null) return null;
  const member = inner.conditions[index];
  if (member === undefined) return null;
  const left = inner.conditions.toSpliced(index, 1);
  const kept = left.length === 0 ? [] : [{ ...inner, conditions: left }];
  const conditions = outer.conditions.toSpliced(groupIndex, 1, ...kept, member);
  return {
    group: replaceGroup(group, outerPath, { ...outer, conditions }),
    at: [...outerPath, groupIndex + kept.length],
  };
}

/** The number of levels of groups from a member downwards. */
function depthOf(member: Member): number {
  return "conditions" in member ? 1 + Math.max(0, ...member.conditions.map(depthOf)) : 0;
}

/** Whether the group at this path may contain another group. */
export function canNest(path: TreePath): boolean {
  return path.length + 1 < CONDITION_MAX_DEPTH;
}

function groupAt(group: ConditionGroup, path: TreePath): ConditionGroup | null {
  let found: Member | undefined = group;
  for (const index of path) found = found !== undefined && "conditions" in found ? found.conditions[index] : undefined;
  return found !== undefined && "conditions" in found ? found : null;
}

function replaceGroup(group: ConditionGroup, path: TreePath, replacement: ConditionGroup): ConditionGroup {
  return path.length === 0 ? replacement : replaceMember(group, path, replacement);
}

function change(
  group: ConditionGroup,
  [index, ...rest]: TreePath,
  edit: (members: Member[], index: number) => Member[],
): ConditionGroup {
  if (index === undefined) return group;
  if (rest.length === 0) return { ...group, conditions: edit(group.conditions, index) };
  const inner = group.conditions[index];
  if (inner === undefined || !("conditions" in inner)) return group;
  return { ...group, conditions: group.conditions.with(index, change(inner, rest, edit)) };
}
