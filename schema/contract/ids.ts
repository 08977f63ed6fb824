import { z } from "zod";

/** The prefix of every kind of id (docs/design/domain.md#ids): `<kind>_<uuidv7>`, which sorts by time. */
export const ID_PREFIXES = {
  agent: "agt",
  connection: "con",
  workflow: "wf",
  workflowVersion: "wfv",
  execution: "exe",
  nodeRun: "run",
  job: "job",
  incident: "inc",
  event: "evt",
  user: "usr",
  apiToken: "tok",
  integration: "itg",
  limitGroup: "lim",
  maintenanceWindow: "mwn",
  notificationReceiver: "ntr",
  notificationRule: "nru",
  notice: "ntc",
  audit: "aud",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const UUID_V7 = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

/** A zod string that accepts ids of one kind only. */
export function idSchema(kind: IdKind) {
  const prefix = ID_PREFIXES[kind];
  return z.string().regex(new RegExp(`^${prefix}_${UUID_V7}$`, "u"), `must be an id of the form ${prefix}_<uuidv7>`);
}

/** Agents treat every id as opaque (docs/design/domain.md#ids). */
export const opaqueIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u);

/** A pool's id is a string that its agents share (docs/design/dispatch.md#dispatchers). */
export const poolIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/u,
    "must be 1 to 63 letters, digits, '.', '_' or '-', starting with a letter or digit",
  );

/** A lease is opaque, and never has the two characters that `held` uses (docs/design/agent-protocol.md#shapes). */
export const leaseSchema = z.string().regex(/^[^:,\s]{1,64}$/u);

/** ISO 8601 in UTC with milliseconds. */
export const timestampSchema = z.iso.datetime();
