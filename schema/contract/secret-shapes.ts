import { z } from "zod";
import type { ConnectionType } from "./connection.ts";
import { CONNECTION_SECRETS } from "./credential.ts";
import type { Secrets } from "./credential.ts";
import { problemWithKey } from "./private-key.ts";
import { steersPrograms } from "./variable-name.ts";

export interface SecretField {
  name: string;
  required: boolean;
}

/** One set of names that a connection type takes. */
export interface SecretShape {
  fields: readonly SecretField[];
  schema: z.ZodType;
}

/** The sets of names that a type takes, one of which a credential has to be. Null: any names. */
export function secretShapes(type: ConnectionType): SecretShape[] | null {
  const schema: z.ZodType = CONNECTION_SECRETS[type];
  const options = schema instanceof z.ZodUnion ? schema.options : [schema];
  const shapes: SecretShape[] = [];
  for (const option of options) {
    if (!(option instanceof z.ZodObject)) return null;
    const fields = Object.entries(option.shape).map(([name, field]) => ({
      name,
      required: field instanceof z.ZodType && !field.isOptional(),
    }));
    if (fields.length > 0) shapes.push({ fields, schema: option });
  }
  return shapes;
}

/**
 * Why these are no secrets of that type, for a person; null when they are. Never holds a value. A name that the type
 * does not know may be a misplaced secret: it is shown only with `showNames`, where the text stays with the person who
 * delivers.
 */
export function problemWithSecrets(
  type: ConnectionType,
  secrets: Secrets,
  { showNames = false }: { showNames?: boolean } = {},
): string | null {
  const wrongKey = problemWithKeyFormat(secrets);
  if (wrongKey !== null) return wrongKey;
  if (CONNECTION_SECRETS[type].safeParse(secrets).success) return null;
  const shapes = secretShapes(type);
  const given = Object.keys(secrets);
  const steering = given.filter((name) => steersPrograms(name));
  if (shapes === null && steering.length > 0) {
    return `scripts get these secrets as variables, and ${steering.join(", ")} would change how programs are found or started: choose another name`;
  }
  if (shapes === null || shapes.some((shape) => fits(shape, given))) {
    return "a value is empty or too long: secrets have 1 to 65536 characters";
  }
  if (shapes.length === 0) return `a connection of type ${type} has no credential`;
  const unknown = given.filter((name) => !shapes.some((shape) => has(shape, name)));
  return [
    `a connection of type ${type} takes ${shapes.map(describeShape).join(", or ")}, and nothing else`,
    ...listed("missing", missingNames(shapes, given)),
    ...listed("not known", showNames ? unknown.map((name) => JSON.stringify(name)) : []),
  ].join("; ");
}

/** The mistakes with private keys, which can be told without knowing the connection's type. */
export function problemWithKeyFormat(secrets: Secrets): string | null {
  const problems = Object.entries(secrets).map(([name, value]) => problemWithKey(name, value));
  const problem = problems.find((one) => one !== null) ?? null;
  return problem === null ? null : `a private key ${problem}`;
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

/** Of the one shape that was meant, as far as the given names tell. */
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
