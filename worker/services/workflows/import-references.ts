import type { JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { WorkflowFileHead } from "../../../schema/contract/workflow-file.ts";
import { WORKFLOW_MAX_NODES } from "../../../schema/limits.ts";
import { referencesOf, replaceReferences } from "../../domain/workflow-file/references.ts";
import type { ReferenceField } from "../../domain/workflow-file/references.ts";
import { findLimitGroupsNamed, limitGroupNames } from "../../store/limit-groups.ts";
import {
  connectionNamesOfType,
  findConnectionsNamed,
  findWorkflowsNamed,
  workflowNames,
} from "../../store/workflow-references.ts";
import type { NamedConnection, NamedWorkflow } from "../../store/workflow-references.ts";
import type { Deps } from "../deps.ts";

const SHOWN_NAMES = 20;

export interface ResolvedReferences {
  definition: JsonValue;
  /** Below `definition.`: references that the file describes and this deployment does not have. */
  errors: FieldError[];
}

/**
 * Turns the references of a file into ids of this deployment. An id that exists here stays; another key is looked up by
 * the name, and for connections the type, that the file gives for it. A key that the file does not describe stays for
 * the check of the definition to report.
 */
export async function resolveReferences(
  deps: Deps,
  definition: JsonValue,
  { connections = {}, workflows = {}, limits = {} }: Pick<WorkflowFileHead, "connections" | "workflows" | "limits">,
): Promise<ResolvedReferences> {
  const references = referencesOf(definition);
  const keysOf = (field: string) => [...new Set(references.filter((one) => one.field === field).map(({ id }) => id))];
  const keys = {
    connectionId: keysOf("connectionId"),
    workflowId: keysOf("workflowId"),
    groupId: keysOf("groupId"),
  };
  // More than any definition may hold: the check reports it.
  if (keys.connectionId.length + keys.workflowId.length + keys.groupId.length > WORKFLOW_MAX_NODES)
    return { definition, errors: [] };
  const wanted = <T>(from: Readonly<Record<string, T>>, of: readonly string[]) =>
    of.flatMap((key): [string, T][] => {
      const entry = Object.hasOwn(from, key) ? from[key] : undefined;
      return entry === undefined ? [] : [[key, entry]];
    });
  const wantedConnections = wanted(connections, keys.connectionId);
  const wantedWorkflows = wanted(workflows, keys.workflowId);
  const wantedGroups = wanted(limits, keys.groupId);
  const [foundConnections, foundWorkflows, foundGroups] = await Promise.all([
    findConnectionsNamed(
      deps.db,
      keys.connectionId,
      wantedConnections.map(([, { name }]) => name),
    ),
    findWorkflowsNamed(
      deps.db,
      keys.workflowId,
      wantedWorkflows.map(([, { name }]) => name),
    ),
    findLimitGroupsNamed(
      deps.db,
      keys.groupId,
      wantedGroups.map(([, { name }]) => name),
    ),
  ]);
  const ids: Found = { connectionId: new Map(), workflowId: new Map(), groupId: new Map() };
  const problems: Found = { connectionId: new Map(), workflowId: new Map(), groupId: new Map() };
  for (const [key, { name, type }] of wantedConnections) {
    if (foundConnections.some(({ id }) => id === key)) continue;
    const named = foundConnections.filter((one) => one.name === name);
    const [only, ...others] = named.filter((one) => one.type === type);
    if (only !== undefined && others.length === 0) ids.connectionId.set(key, only.id);
    else problems.connectionId.set(key, await connectionProblem(deps, { name, type }, named));
  }
  for (const [key, { name }] of wantedWorkflows) {
    if (foundWorkflows.some(({ id }) => id === key)) continue;
    const [only, ...others] = foundWorkflows.filter((one) => one.name === name);
    if (only !== undefined && others.length === 0) ids.workflowId.set(key, only.id);
    else problems.workflowId.set(key, await workflowProblem(deps, name, only === undefined ? [] : [only, ...others]));
  }
  for (const [key, { name }] of wantedGroups) {
    if (foundGroups.some(({ id }) => id === key)) continue;
    // Their names are unique.
    const named = foundGroups.find((one) => one.name === name);
    if (named !== undefined) ids.groupId.set(key, named.id);
    else problems.groupId.set(key, await groupProblem(deps, name));
  }
  return {
    definition: replaceReferences(definition, (field, id) => ids[field].get(id) ?? id),
    errors: references.flatMap(({ field, id, path }) => {
      const message = problems[field].get(id);
      return message === undefined ? [] : [{ path, message }];
    }),
  };
}

type Found = Record<ReferenceField, Map<string, string>>;

async function groupProblem(deps: Deps, name: string): Promise<string> {
  const names = await limitGroupNames(deps.db, SHOWN_NAMES + 1);
  return `there is no limit called "${name}" here: create it${orNameOneOf(names)}`;
}

async function connectionProblem(
  deps: Deps,
  { name, type }: Pick<NamedConnection, "name" | "type">,
  named: readonly NamedConnection[],
): Promise<string> {
  const same = named.filter((one) => one.type === type);
  if (same.length > 1) return ambiguous(`${same.length} connections of type ${type}`, name, same);
  const names = await connectionNamesOfType(deps.db, type, SHOWN_NAMES + 1);
  const other = named[0] === undefined ? "" : ` (there is one of type ${named[0].type})`;
  return `there is no connection of type ${type} called "${name}" here${other}: create it${orNameOneOf(names)}`;
}

async function workflowProblem(deps: Deps, name: string, same: readonly NamedWorkflow[]): Promise<string> {
  if (same.length > 1) return ambiguous(`${same.length} workflows`, name, same);
  const names = await workflowNames(deps.db, SHOWN_NAMES + 1);
  return `there is no workflow called "${name}" here: import it first${orNameOneOf(names)}`;
}

function ambiguous(what: string, name: string, same: readonly { id: string }[]): string {
  return `${what} are called "${name}" here: write the id of one of them, ${same.map(({ id }) => id).join(" or ")}`;
}

function orNameOneOf(names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, SHOWN_NAMES).map((name) => `"${name}"`);
  return `, or name one of ${[...shown, ...(names.length > SHOWN_NAMES ? ["others"] : [])].join(", ")}`;
}
