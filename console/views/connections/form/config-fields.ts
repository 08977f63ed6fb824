import { labelsOf } from "./field-labels.ts";
import { z } from "zod";
import { CONNECTION_CONFIGS } from "../../../../schema/contract/connection.ts";
import { DATABASE_PORTS } from "../../../../schema/contract/connections/database.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { Given } from "./applies.ts";

/**
 * A field of a form, from the contract. `names`: free names with values, as in a custom connection. `lines`: a list of
 * texts, one on each line.
 */
export interface ConfigField {
  name: string;
  kind: "text" | "number" | "boolean" | "choice" | "names" | "lines" | "sealed";
  required: boolean;
  /** The contract's default. */
  preset: string | number | boolean | null;
  options: readonly string[];
  min: number | null;
  max: number | null;
}

const propertySchema = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "object", "array"]),
  enum: z.array(z.string()).optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
const objectSchema = z.object({
  properties: z.record(z.string(), propertySchema).default({}),
  required: z.array(z.string()).default([]),
});

/** The fields of a type's configuration, read from its schema. */
export function configFields(type: ConnectionType): ConfigField[] {
  const schema = z.toJSONSchema(CONNECTION_CONFIGS[type], { io: "input", unrepresentable: "any" });
  const { properties, required } = objectSchema.parse(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    kind: labelsOf(type, name).isSecret === true ? "sealed" : kindOf(property),
    required: required.includes(name),
    preset: property.default ?? null,
    options: property.enum ?? [],
    min: property.minimum ?? null,
    max: property.maximum ?? null,
  }));
}

function kindOf(property: z.infer<typeof propertySchema>): ConfigField["kind"] {
  if (property.enum !== undefined) return "choice";
  switch (property.type) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return "names";
    case "array":
      return "lines";
  }
}

/** The first value of a new connection's field: the contract's default, otherwise a usual value, otherwise empty. */
export function startOf(type: ConnectionType, { name, preset, kind }: ConfigField): string | number | boolean {
  return preset ?? labelsOf(type, name).start ?? (kind === "boolean" ? false : "");
}

/** Whether the schema, or a rule of the contract about several fields, requires the field. */
export function isRequired(type: ConnectionType, field: ConfigField): boolean {
  return field.required || (type === "database" && field.name === "host") || fieldOfSeveral(type, field.name) !== null;
}

/** The field of several hosts, if this is that field or the one of a single host in its place. */
export function fieldOfSeveral(type: ConnectionType, name: string): string | null {
  if (labelsOf(type, name).inPlaceOf !== undefined) return name;
  return configFields(type).find((field) => labelsOf(type, field.name).inPlaceOf === name)?.name ?? null;
}

const PORTS: Readonly<Record<string, number | null>> = DATABASE_PORTS;

/** The placeholder of an empty field. */
export function placeholderOf(type: ConnectionType, name: string, config: Given): string | undefined {
  if (type === "database" && name === "port") return PORTS[String(config["driver"])]?.toString();
  if (type === "database" && name === "database")
    return config["driver"] !== "sqlite" ? undefined : "/var/lib/app/app.db";
  return labelsOf(type, name).placeholder;
}

const WINRM_PORTS = { https: 5986, http: 5985 };

/** Fields that change with this one: WinRM's default port follows HTTPS, unless a person chose another port. */
export function followUp(type: ConnectionType, name: string, value: unknown, config: Given): Record<string, number> {
  if (type !== "winrm" || name !== "useSsl") return {};
  const [from, to] = value === true ? [WINRM_PORTS.http, WINRM_PORTS.https] : [WINRM_PORTS.https, WINRM_PORTS.http];
  return config["port"] === from ? { port: to } : {};
}
