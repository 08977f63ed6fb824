import { connectionTypeSchema } from "../../../schema/contract/connection.ts";
import { createConnectionSchema } from "../../../schema/contract/management.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { findConnection, insertConnection } from "../../store/connections.ts";
import { writeBatch } from "../../store/database.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { checkInput, invalidInput, partsOf } from "../parse.ts";
import type { Principal } from "../principal.ts";
import { assignmentErrors } from "./check-assignment.ts";
import { checkConfig } from "./check-config.ts";
import { changedUsableBy, requireMaySetUsableBy, usableByErrors } from "./check-usable-by.ts";
import { requireCodeFields } from "./require-code.ts";
import { viewConnection } from "./view.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";

/** Creates a connection. Its secret is never part of the request: people deliver it to the agents. */
export async function createConnection(deps: Deps, by: Principal, input: unknown): Promise<ConnectionView> {
  const { name, type, config, agentId, poolId, usableBy } = await check(deps, input);
  requireCodeFields(by, type, ["type"]);
  if (usableBy !== null) requireMaySetUsableBy(by);
  const now = deps.now();
  const id = deps.newId("connection");
  await writeBatch(deps.db, [
    insertConnection(deps.db, {
      id,
      name,
      type,
      config,
      agentId: agentId ?? null,
      poolId: poolId ?? null,
      usableBy,
      createdAt: now,
      updatedAt: now,
    }),
    record(deps, {
      actor: by.actor,
      verb: "create",
      subjectType: "connection",
      subjectId: id,
      detail: { name, type, ...(usableBy === null ? {} : { usableBy }) },
    }),
  ]);
  const row = await findConnection(deps.db, id);
  if (row === null) throw notFound("connection", id);
  return viewConnection(deps, row);
}

/** Checks every part that can be checked though others are wrong, so that the answer has every problem. */
async function check(deps: Deps, input: unknown) {
  const body = checkInput(createConnectionSchema, input);
  const sent = partsOf(input);
  const type = connectionTypeSchema.safeParse(sent["type"]).data;
  const given = sent["config"] ?? {};
  const config = type === undefined || !isJsonObject(given) ? null : checkConfig(type, given);
  const errors = [
    ...(body.ok ? [] : body.errors),
    ...(config === null || config.ok ? [] : config.errors),
    ...(await assignmentErrors(deps, sent["agentId"])),
    ...(await usableByErrors(deps, type, sent["usableBy"], null)),
  ];
  if (!body.ok || config === null || !config.ok || errors.length > 0) throw invalidInput(errors);
  return { ...body.data, config: config.data, usableBy: changedUsableBy(body.data.usableBy, null) ?? null };
}
