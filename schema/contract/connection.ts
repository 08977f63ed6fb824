import { z } from "zod";
import { CONNECTIONS } from "./connections/index.ts";
import type { ConnectionDescriptor } from "./connections/descriptor.ts";
import { jsonObjectSchema } from "./json.ts";
import type { FieldError } from "./problem.ts";
import { keysOf, ofOneAtLeast, pluck } from "./records.ts";

/**
 * Everything derived from the descriptors of the connection types. A configuration never holds a secret: unknown keys
 * are refused.
 */
type Connections = typeof CONNECTIONS;
export type ConnectionType = keyof Connections;

export const CONNECTION_TYPES: readonly ConnectionType[] = keysOf(CONNECTIONS);
export const connectionTypeSchema = z.enum(keysOf(CONNECTIONS));

/** `config` by type. */
export const CONNECTION_CONFIGS = pluck(pluck(CONNECTIONS, "config"), "schema");

/** `config` by its name in the API's description: `SshConfig`. */
export const CONFIG_COMPONENTS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  CONNECTION_TYPES.map((type) => [`${type.slice(0, 1).toUpperCase()}${type.slice(1)}Config`, CONNECTION_CONFIGS[type]]),
);

/** Accepts any object: callers that know the type check it further. The API's description lists the possible shapes. */
export const anyConfigSchema = jsonObjectSchema.meta({
  anyOf: Object.keys(CONFIG_COMPONENTS).map((name) => ({ $ref: `#/components/schemas/${name}` })),
});

export type ConnectionConfig<T extends ConnectionType> = z.output<Connections[T]["config"]["schema"]>;
/** A connection's type with the configuration of that type: a union discriminated by `type`. */
export type ConnectionTarget = {
  [T in ConnectionType]: { type: T; config: ConnectionConfig<T> };
}[ConnectionType];

export const connectionTargetSchema = z.lazy(() => {
  const targets = CONNECTION_TYPES.map((type) => z.object({ type: z.literal(type), config: CONNECTION_CONFIGS[type] }));
  return z.discriminatedUnion("type", ofOneAtLeast(targets));
}) as z.ZodType as z.ZodType<ConnectionTarget>;

/** The descriptor of a type, as the interface that all descriptors share. */
export function descriptorOf(type: ConnectionType): ConnectionDescriptor {
  return CONNECTIONS[type];
}

export function isConnectionType(text: unknown): text is ConnectionType {
  return typeof text === "string" && Object.hasOwn(CONNECTIONS, text);
}

/** The fields of a type's configuration that hold a secret. */
export function secretConfigFields(type: ConnectionType): string[] {
  return Object.entries(descriptorOf(type).config.fields).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));
}

/** Whether a connection of this type can have a credential at all. */
export function takesCredential(type: ConnectionType): boolean {
  return descriptorOf(type).secrets !== null;
}

/**
 * Whether dispatch must find the connection's credential on an agent before that agent gets a job. Null for a
 * configuration that does not fit its type, such as one stored by an earlier version.
 */
export function needsCredential(connection: { readonly type: string; readonly config: unknown }): boolean | null {
  const { data } = connectionTargetSchema.safeParse(connection);
  return data === undefined ? null : descriptorOf(data.type).needsCredential(data.config);
}

/** A possible mistake in a connection's configuration; null without one, or for a configuration of an earlier version. */
export function mistakeIn(connection: { readonly type: string; readonly config: unknown }): FieldError | null {
  const { data } = connectionTargetSchema.safeParse(connection);
  const mistake = data === undefined ? null : (descriptorOf(data.type).mistakeIn?.(data.config) ?? null);
  return mistake === null ? null : { path: ["config", ...mistake.path].join("."), message: mistake.message };
}
