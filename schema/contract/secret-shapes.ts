import { z } from "zod";
import { connectionTypeSchema, descriptorOf } from "./connection.ts";
import type { ConnectionType } from "./connection.ts";
import type { SecretField } from "./connections/descriptor.ts";
import type { CredentialTarget } from "./credential-target.ts";
import type { Secrets } from "./credential.ts";
import type { JsonObject } from "./json.ts";
import { problemWithKey, problemWithSshKey } from "./private-key.ts";
import { steersPrograms } from "./variable-name.ts";

export interface NamedSecret extends SecretField {
  readonly name: string;
  readonly required: boolean;
}

/** One set of names that a connection type accepts. */
export interface SecretShape {
  readonly fields: readonly NamedSecret[];
  readonly schema: z.ZodType;
}

/** Checks the secrets of a type: one of its sets, or any names. */
export function secretsSchemaOf(type: ConnectionType): z.ZodType {
  return descriptorOf(type).secrets?.schema ?? z.strictObject({});
}

/**
 * The sets of names that a type accepts; a credential must match one of them. Null: any names. With a configuration, or
 * with an entry of a target, which has the same fields, only the sets that this connection uses.
 */
export function secretShapes(type: ConnectionType, config: JsonObject = {}): readonly SecretShape[] | null {
  const shapes = shapesOfType(type);
  const name = chosenName(type, config);
  return name === undefined || shapes === null ? shapes : shapes.filter((shape) => name !== null && has(shape, name));
}

/** A value that is unknown to this version selects no set. */
function chosenName(type: ConnectionType, config: JsonObject): string | null | undefined {
  const { field, names } = descriptorOf(type).secretsBy ?? { field: "", names: {} };
  const value = config[field];
  return typeof value === "string" && Object.hasOwn(names, value) ? names[value] : undefined;
}

function shapesOfType(type: ConnectionType): SecretShape[] | null {
  const { secrets } = descriptorOf(type);
  if (secrets === null) return [];
  if (secrets.forms === null) return null;
  return secrets.forms.map(({ fields, schema }) => ({
    fields: Object.entries(fields).map(([name, field]) => ({ ...field, name, required: !field.schema.isOptional() })),
    schema,
  }));
}

/** The names that a type accepts, for a person: "token, or username and password". */
export function secretNames(type: ConnectionType): string {
  return shapesOfType(type)?.map(describeShape).join(", or ") ?? "any names";
}

/** An unknown name may be a misplaced secret: it is shown only where the text stays with its owner. */
interface MessageOptions {
  showNames?: boolean;
}

/** Why these secrets cannot be used at a target, for a person; null when they can. Never includes a value. */
export function problemWithSecretsFor(
  target: CredentialTarget,
  secrets: Secrets,
  options: MessageOptions = {},
): string | null {
  for (const entry of target) {
    const type = connectionTypeSchema.safeParse(entry["type"]);
    const problem = type.success ? problemWithSecrets(type.data, secrets, { ...options, config: entry }) : null;
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Why these are not the secrets of that type, for a person; null when they are. With `config`, as for `secretShapes`,
 * they must be those that this connection signs in with. Never includes a value.
 */
export function problemWithSecrets(
  type: ConnectionType,
  secrets: Secrets,
  { showNames = false, config = {} }: MessageOptions & { config?: JsonObject } = {},
): string | null {
  const wrongKey = problemWithKeyFormat(secrets);
  if (wrongKey !== null) return wrongKey;
  const shapes = secretShapes(type, config);
  const schemas = shapes === null ? [secretsSchemaOf(type)] : shapes.map(({ schema }) => schema);
  if (schemas.some((schema) => schema.safeParse(secrets).success)) return null;
  const given = Object.keys(secrets);
  const steering = given.filter((name) => steersPrograms(name));
  if (shapes === null && steering.length > 0) {
    return `scripts get these secrets as variables, and ${steering.join(", ")} would change how they find or start programs: choose another name`;
  }
  if (shapes === null || shapes.some((shape) => fits(shape, given))) {
    const { privateKey = "" } = type === "ssh" ? secrets : {};
    const wrongSshKey = privateKey === "" ? null : problemWithSshKey(privateKey);
    if (wrongSshKey !== null) return `a private key ${wrongSshKey}`;
    return "a value is empty or too long: secrets have 1 to 65536 characters";
  }
  const connection = `a connection of type ${type}${chosenLabel(type, config)}`;
  if (shapes.length === 0) return `${connection} has no credential`;
  const unfit = given.filter((name) => !shapes.some((shape) => has(shape, name)));
  const [others, unknown] = [true, false].map((isOther) =>
    unfit.filter((name) => shapesOfType(type)?.some((shape) => has(shape, name)) === isOther),
  );
  return [
    `${connection} takes ${shapes.map(describeShape).join(", or ")}, and nothing else`,
    ...listed("missing", missingNames(shapes, given)),
    ...listed("not used by it", others ?? []),
    ...listed("not known", showNames ? (unknown ?? []).map((name) => JSON.stringify(name)) : []),
  ].join("; ");
}

/** Problems of private keys that are visible without the connection's type. */
export function problemWithKeyFormat(secrets: Secrets): string | null {
  const problems = Object.entries(secrets).map(([name, value]) => problemWithKey(name, value));
  const problem = problems.find((one) => one !== null) ?? null;
  return problem === null ? null : `a private key ${problem}`;
}

/** ` with authMethod password`: the setting that selected the set. */
function chosenLabel(type: ConnectionType, config: JsonObject): string {
  if (chosenName(type, config) === undefined) return "";
  const field = descriptorOf(type).secretsBy?.field ?? "";
  return ` with ${field} ${String(config[field])}`;
}

function fits(shape: SecretShape, given: readonly string[]): boolean {
  return given.every((name) => has(shape, name)) && missingIn(shape, given).length === 0;
}

function has({ fields }: SecretShape, name: string): boolean {
  return fields.some((field) => field.name === name);
}

function missingIn({ fields }: SecretShape, given: readonly string[]): string[] {
  return fields.filter(({ name, required }) => required && !given.includes(name)).map(({ name }) => name);
}

/** The missing names of the most likely set, by the given names. */
function missingNames(shapes: readonly SecretShape[], given: readonly string[]): string[] {
  const begun = shapes.length === 1 ? shapes : shapes.filter((shape) => given.some((name) => has(shape, name)));
  const [meant, ...others] = begun;
  return meant === undefined || others.length > 0 ? [] : missingIn(meant, given);
}

function describeShape({ fields }: SecretShape): string {
  return fields.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(" and ");
}

function listed(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
}
