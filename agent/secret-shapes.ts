import { z } from "zod";
import type { ConnectionType } from "../schema/contract/connection.ts";
import { CONNECTION_SECRETS } from "../schema/contract/credential.ts";
import type { Secrets } from "../schema/contract/credential.ts";
import { steersPrograms } from "../schema/contract/variable-name.ts";

/** One set of names that a connection type takes. */
export interface SecretShape {
  required: string[];
  optional: string[];
}

const PUTTY_HEADER = "PuTTY-User-Key-File";

/** The sets of names that a type takes, one of which a credential has to be. Null: any names. */
export function secretShapes(type: ConnectionType): SecretShape[] | null {
  const schema: z.ZodType = CONNECTION_SECRETS[type];
  const options = schema instanceof z.ZodUnion ? schema.options : [schema];
  const shapes: SecretShape[] = [];
  for (const option of options) {
    if (!(option instanceof z.ZodObject)) return null;
    const names = Object.entries(option.shape);
    const required = names.filter(([, field]) => field instanceof z.ZodType && !field.isOptional());
    if (names.length === 0) continue;
    shapes.push({
      required: required.map(([name]) => name),
      optional: names.filter((entry) => !required.includes(entry)).map(([name]) => name),
    });
  }
  return shapes;
}

/** Why these are no secrets of that type, for a person: the names that are expected, never a value. Null: they are. */
export function problemWithSecrets(type: ConnectionType, secrets: Secrets): string | null {
  const putty = problemWithKeyFormat(secrets);
  if (putty !== null) return putty;
  if (CONNECTION_SECRETS[type].safeParse(secrets).success) return null;
  const shapes = secretShapes(type);
  const fits = ({ required, optional }: SecretShape) =>
    required.every((name) => Object.hasOwn(secrets, name)) &&
    Object.keys(secrets).every((name) => required.includes(name) || optional.includes(name));
  const steering = Object.keys(secrets).filter((name) => steersPrograms(name));
  if (shapes === null && steering.length > 0) {
    return `scripts get these secrets as variables, and ${steering.join(", ")} would change how programs are found or started: choose another name`;
  }
  if (shapes === null || shapes.some(fits)) return "a value is empty or too long: secrets have 1 to 65536 characters";
  if (shapes.length === 0) return `a connection of type ${type} has no credential`;
  return `a connection of type ${type} takes ${shapes.map(describeShape).join(", or ")}, and nothing else`;
}

/** The one mistake with keys that can be told without knowing the connection's type. */
export function problemWithKeyFormat(secrets: Secrets): string | null {
  if (!Object.values(secrets).some((value) => value.trimStart().startsWith(PUTTY_HEADER))) return null;
  return "a private key must be in PEM format, not PPK: convert it with puttygen key.ppk -O private-openssh -o key.pem";
}

function describeShape({ required, optional }: SecretShape): string {
  return [...required, ...optional.map((name) => `${name} (optional)`)].join(" and ");
}
