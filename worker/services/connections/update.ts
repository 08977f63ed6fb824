import { canonicalJson } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { z } from "zod";
import { canonicalTarget } from "../../../schema/contract/credential-target.ts";
import { updateConnectionSchema } from "../../../schema/contract/management.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { changedTargetFields } from "../../../schema/contract/target-labels.ts";
import { updateConnection as updateConnectionRow } from "../../store/connections.ts";
import type { ConnectionChanges, ConnectionRow } from "../../store/connections.ts";
import { withdrawFromFormer } from "../../store/credential-ends.ts";
import { findHolders, raiseTargetFloors } from "../../store/credentials.ts";
import { orderSyncs, targetFor } from "../credentials/index.ts";
import type { Deps } from "../deps.ts";
import { checkInput, invalidInput, partsOf } from "../parse.ts";
import type { Principal } from "../principal.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeConnection } from "./change-connection.ts";
import { assignmentErrors } from "./check-assignment.ts";
import { checkConfig } from "./check-config.ts";
import { changedUsableBy, requireMaySetUsableBy, usableByErrors } from "./check-usable-by.ts";
import { getConnection } from "./get.ts";
import { unmaskConfig } from "./mask.ts";
import { requireCodeFields } from "./require-code.ts";

/** A credential for a target older than these is shown without a description of its target. */
const FORMER_TARGETS_MAX = 10;
const FIXED_TYPE = "cannot be changed: create another connection instead";

type Body = z.infer<typeof updateConnectionSchema>;

/**
 * Changes the fields that the body names. `config` is replaced as a whole; the type cannot change. A connection that
 * gets an agent leaves its pool, and the other way round.
 */
export async function updateConnection(
  deps: Deps,
  by: Principal,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<ConnectionView> {
  await changeConnection(
    deps,
    id,
    async (row) => {
      const changes = await check(deps, row, input);
      const fields = Object.keys(changes);
      if (fields.length === 0) return null;
      requireCodeFields(by, row.type, codeFields(row, changes));
      if (changes.usableBy !== undefined) requireMaySetUsableBy(by);
      const target = editedTarget(row, changes);
      return {
        write: updateConnectionRow(deps.db, row, { ...changes, ...target, updatedAt: deps.now() }),
        also: [
          ...(isAssigned(changes) ? withdrawFromFormer(deps.db, row, deps.now()) : []),
          ...(target === null ? [] : [raiseTargetFloors(deps.db, id)]),
        ],
        audit: {
          actor: by.actor,
          verb: "update",
          detail: {
            name: changes.name ?? row.name,
            fields,
            ...(target === null ? {} : { target: target.targetEdited }),
            ...(changes.usableBy === undefined ? {} : { usableBy: changes.usableBy, formerUsableBy: row.usableBy }),
          },
        },
      };
    },
    expected,
  );
  if (isAssigned(partsOf(input))) await orderSyncs(deps, await findHolders(deps.db, id));
  return getConnection(deps, id);
}

async function check(deps: Deps, row: ConnectionRow, input: unknown): Promise<ConnectionChanges> {
  const body = checkInput(updateConnectionSchema, input);
  const sent = partsOf(input);
  const config = isJsonObject(sent["config"])
    ? checkConfig(row.type, unmaskConfig(row.type, sent["config"], row.config))
    : null;
  const errors: FieldError[] = [
    ...(body.ok ? [] : body.errors.map((error) => (error.path === "type" ? { ...error, message: FIXED_TYPE } : error))),
    ...(config === null || config.ok ? [] : config.errors),
    ...(await assignmentErrors(deps, sent["agentId"])),
    ...(await usableByErrors(deps, row.type, sent["usableBy"], row.usableBy)),
  ];
  if (!body.ok || errors.length > 0) throw invalidInput(errors);
  const usableBy = changedUsableBy(body.data.usableBy, row.usableBy);
  return {
    ...(body.data.name === undefined ? {} : { name: body.data.name }),
    ...(config?.ok === true ? { config: config.data } : {}),
    ...assignment(body.data),
    ...(usableBy === undefined ? {} : { usableBy }),
  };
}

/** The changed fields that decide where code runs. A field that is sent with its old value changes nothing. */
function codeFields(row: ConnectionRow, changes: ConnectionChanges): string[] {
  const next = { ...row, ...changes };
  const leads = next.config !== row.config && canonicalJson(next.config) !== canonicalJson(row.config);
  return [
    ...(leads ? ["config"] : []),
    ...(next.agentId === row.agentId ? [] : ["agentId"]),
    ...(next.poolId === row.poolId ? [] : ["poolId"]),
  ];
}

/**
 * The columns that change with the connection's target; null when credentials go where they went before. A
 * configuration of an older form counts as another target than any valid one.
 */
function editedTarget(row: ConnectionRow, changes: ConnectionChanges) {
  if (changes.config === undefined && changes.usableBy === undefined) return null;
  const { targetEdits, formerTargets } = row;
  const [former, present] = [targetFor(row), targetFor({ ...row, ...changes })];
  if (former === null || present === null) return { targetEdits: targetEdits + 1, targetEdited: [] };
  if (canonicalTarget(former) === canonicalTarget(present)) return null;
  const others = (formerTargets ?? []).filter((one) => canonicalTarget(one) !== canonicalTarget(former));
  return {
    targetEdits: targetEdits + 1,
    targetEdited: changedTargetFields(former, present),
    formerTargets: [former, ...others].slice(0, FORMER_TARGETS_MAX),
  };
}

function assignment({ agentId, poolId }: Body): Pick<ConnectionChanges, "agentId" | "poolId"> {
  if (typeof agentId === "string") return { agentId, poolId: null };
  if (typeof poolId === "string") return { agentId: null, poolId };
  return { ...(agentId === null ? { agentId } : {}), ...(poolId === null ? { poolId } : {}) };
}

/** Whether the edit assigns the connection, so that its former agents must give up its credential. */
function isAssigned({ agentId, poolId }: { agentId?: unknown; poolId?: unknown }): boolean {
  return agentId !== undefined || poolId !== undefined;
}
