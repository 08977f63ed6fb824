import type { z } from "zod";
import { CONNECTION_CONFIGS } from "../../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { poolIdSchema } from "../../../../schema/contract/ids.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import { nameSchema } from "../../../../schema/contract/name.ts";
import type { FieldError } from "../../../../schema/contract/problem.ts";
import { issueErrors } from "../../../../worker/domain/issue-messages.ts";
import { applies } from "./applies.ts";
import { configFields, isRequired } from "./config-fields.ts";
import { isBlank, isUnreadable, toConfig } from "./form-values.ts";
import type { ConfigValue, FormValues, NamedValue } from "./form-values.ts";

/** Everything that is wrong with a form, in the service's own words and with its paths, before it is sent. */
export function checkForm(type: ConnectionType, values: FormValues): FieldError[] {
  const config = toConfig(type, values.config);
  const told = errorsOf(CONNECTION_CONFIGS[type], config, ["config"]);
  return [
    ...errorsOf(nameSchema, values.name, ["name"]),
    ...told,
    ...missing(type, config).filter(({ path }) => !told.some((error) => error.path === path)),
    ...Object.values(values.config).flatMap(rowsErrors),
    ...assignmentErrors(values),
  ];
}

/** A schema judges what several fields must be together only when each by itself is right; here all is told at once. */
function missing(type: ConnectionType, config: JsonObject): FieldError[] {
  const fields = configFields(type).filter((field) => isRequired(type, field) && applies(type, field.name, config));
  return fields.flatMap(({ name }) =>
    config[name] === undefined ? [{ path: `config.${name}`, message: "is required" }] : [],
  );
}

/** What no schema can say of free fields, since it is about how they are typed in. */
function rowsErrors(value: ConfigValue): FieldError[] {
  if (typeof value !== "object") return [];
  return Object.values(rowErrors(value, [])).map((message) => ({ path: "config.fields", message }));
}

/** What a schema finds wrong with an input, with the same words as the service's answer. */
export function errorsOf(schema: z.ZodType, input: unknown, prefix: readonly string[]): FieldError[] {
  const judged = schema.safeParse(input, { reportInput: true });
  return judged.success ? [] : judged.error.issues.flatMap((issue) => issueErrors(issue, { prefix, schema, input }));
}

function assignmentErrors({ runsOn, agentId, poolId }: FormValues): FieldError[] {
  if (runsOn === "agent" && agentId === null) return [{ path: "agentId", message: "is required: choose an agent" }];
  if (runsOn !== "pool") return [];
  if (poolId.trim() === "") return [{ path: "poolId", message: "is required: choose a pool, or name a new one" }];
  return errorsOf(poolIdSchema, poolId.trim(), ["poolId"]);
}

/** What is wrong with each free field, as sentences by its row's key; `told` are errors with paths. */
export function rowErrors(rows: readonly NamedValue[], told: readonly FieldError[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const row of rows.filter((one) => !isBlank(one))) {
    const wrong = rowError(row, rows) ?? told.find(({ path }) => isAt(path, row.name))?.message;
    if (wrong !== undefined) errors[row.key] = asSentence(row.name === "" ? "It" : row.name, wrong);
  }
  return errors;
}

function rowError(row: NamedValue, rows: readonly NamedValue[]): string | undefined {
  if (row.name === "") return "needs a name";
  if (rows.some((other) => other.key !== row.key && other.name === row.name)) return "stands here twice";
  return isUnreadable(row) ? "is not JSON: write it as text, or mend it" : undefined;
}

/** A name may hold dots when it is wrong, so the path is compared as a whole. */
function isAt(path: string, name: string): boolean {
  const at = `config.fields.${name}`;
  return path === at || path.startsWith(`${at}.`);
}

/** A field's error as a sentence: its label, and what is wrong. */
export function asSentence(label: string, message: string): string {
  return `${label} ${message}${/[.!?]$/u.test(message) ? "" : "."}`;
}
