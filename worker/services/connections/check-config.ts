import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { jsonObjectSchema } from "../../../schema/contract/json.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { isSecretName, LOOKS_LIKE_SECRET } from "../../../schema/contract/secret-name.ts";
import { checkInput } from "../parse.ts";
import type { Checked } from "../parse.ts";

/** The configuration, parsed by its type's schema, defaults filled in. Every problem's path begins with `config`. */
export function checkConfig(type: ConnectionType, config: JsonObject): Checked<JsonObject> {
  const checked = checkInput<unknown>(CONNECTION_CONFIGS[type], config, ["config"]);
  const errors = checked.ok ? [] : checked.errors.map((error) => withHint(type, error));
  const known = new Set(errors.map((error) => error.path));
  errors.push(...(type === "custom" ? secretFields(config) : []).filter((error) => !known.has(error.path)));
  if (!checked.ok || errors.length > 0) return { ok: false, errors };
  return { ok: true, data: jsonObjectSchema.parse(checked.data) };
}

/** Explains an unknown field whose name is that of a secret. */
function withHint(type: ConnectionType, error: FieldError): FieldError {
  const field = error.path.slice("config.".length);
  const known = Object.hasOwn(CONNECTION_CONFIGS[type].shape, field.split(".")[0] ?? "");
  const isSecret = isSecretName(field) || field === "kubeconfig";
  return !known && isSecret ? { ...error, message: LOOKS_LIKE_SECRET } : error;
}

/** A custom connection may have any fields, at any depth, except secrets. */
function secretFields(value: JsonValue, path = "config"): FieldError[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]): FieldError[] => {
    const at = `${path}.${name}`;
    return isSecretName(name) ? [{ path: at, message: LOOKS_LIKE_SECRET }] : secretFields(inner, at);
  });
}
