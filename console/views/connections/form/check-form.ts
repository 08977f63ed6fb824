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
import { connectionForms as text } from "../../../strings/en/connection-forms.ts";

/** All problems of a form before it is sent, with the service's messages and paths. */
export function checkForm(type: ConnectionType, values: FormValues): FieldError[] {
  const config = toConfig(type, values.config);
  const absent = missing(type, config);
  const configErrors = errorsOf(CONNECTION_CONFIGS[type], config, ["config"]);
  return [
    ...errorsOf(nameSchema, values.name, ["name"]),
    ...configErrors.filter(({ path }) => !absent.some((error) => error.path === path)),
    ...absent,
    ...Object.values(values.config).flatMap(rowsErrors),
    ...assignmentErrors(values),
  ];
}

/** A schema checks rules about several fields only after each field is valid. This check reports all at once. */
function missing(type: ConnectionType, config: JsonObject): FieldError[] {
  const fields = configFields(type).filter((field) => isRequired(type, field) && applies(type, field.name, config));
  return fields.flatMap(({ name }) =>
    config[name] === undefined || (Array.isArray(config[name]) && config[name].length === 0)
      ? [{ path: `config.${name}`, message: text.problems.required }]
      : [],
  );
}

/** Problems of free fields that a schema cannot find, because they are about the typed text. */
function rowsErrors(value: ConfigValue): FieldError[] {
  if (typeof value !== "object") return [];
  return Object.values(rowErrors(value, [])).map((message) => ({ path: "config.fields", message }));
}

/** The problems that a schema finds, with the same messages as in the service's answer. */
export function errorsOf(schema: z.ZodType, input: unknown, prefix: readonly string[]): FieldError[] {
  const parsed = schema.safeParse(input, { reportInput: true });
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => issueErrors(issue, { prefix, schema, input }));
}

function assignmentErrors({ runsOn, agentId, poolId }: FormValues): FieldError[] {
  if (runsOn === "agent" && agentId === null) return [{ path: "agentId", message: text.problems.noAgent }];
  if (runsOn !== "pool") return [];
  if (poolId.trim() === "") return [{ path: "poolId", message: text.problems.noPool }];
  return errorsOf(poolIdSchema, poolId.trim(), ["poolId"]);
}

/** The problem of each free field as a sentence, by the row's key. `reported`: the service's errors. */
export function rowErrors(rows: readonly NamedValue[], reported: readonly FieldError[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const row of rows.filter((one) => !isBlank(one))) {
    const message = rowError(row, rows) ?? reported.find(({ path }) => isAt(path, row.name))?.message;
    if (message !== undefined) errors[row.key] = asSentence(row.name === "" ? text.subjects.it : row.name, message);
  }
  return errors;
}

function rowError(row: NamedValue, rows: readonly NamedValue[]): string | undefined {
  if (row.name === "") return text.problems.noName;
  if (rows.some((other) => other.key !== row.key && other.name === row.name)) return text.problems.twice;
  return isUnreadable(row) ? text.problems.notJson : undefined;
}

/** An invalid name may contain dots, so the whole path is compared. */
function isAt(path: string, name: string): boolean {
  const at = `config.fields.${name}`;
  return path === at || path.startsWith(`${at}.`);
}

/** A field's error as a sentence: its label and the message. */
export function asSentence(label: string, message: string): string {
  return `${label} ${message}${/[.!?]$/u.test(message) ? "" : "."}`;
}
