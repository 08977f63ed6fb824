import { descriptorOf } from "../../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { FieldError } from "../../../../schema/contract/problem.ts";
import { secretShapes, secretsSchemaOf } from "../../../../schema/contract/secret-shapes.ts";
import type { SecretShape } from "../../../../schema/contract/secret-shapes.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { errorsOf } from "../form/check-form.ts";

/** One form of a type's credential. A person chooses when there are several. */
export interface SecretForm extends SecretShape {
  /** The names are free, as in a custom connection. */
  isFree: boolean;
}

/** All forms of a type's credential. Empty when the type has no credential. */
export function secretForms(type: ConnectionType): SecretForm[] {
  return secretFormsFor(type, {});
}

/** The forms for the connection's authentication. Empty when it has no credential. */
export function secretFormsFor(type: ConnectionType, config: JsonObject): SecretForm[] {
  const shapes = secretShapes(type, config);
  if (shapes === null) return [{ fields: [], schema: secretsSchemaOf(type), isFree: true }];
  return shapes.map((shape) => ({ ...shape, isFree: false }));
}

export function labelOfSecret(type: ConnectionType, name: string): string {
  const fields = secretShapes(type)?.flatMap((shape) => shape.fields) ?? [];
  return fields.find((field) => field.name === name)?.label ?? name;
}

/** The typed secrets without the empty fields. */
export function givenSecrets(typed: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ""));
}

/** The problems of secrets before they are sealed: afterwards only the agent can check them. Quotes no secret. */
export function checkSecrets(type: ConnectionType, { schema, isFree }: SecretForm, secrets: Record<string, string>) {
  const errors: FieldError[] = errorsOf(schema, secrets, []);
  if (isFree && Object.keys(secrets).length === 0) errors.push({ path: "", message: credentials.secret.empty });
  for (const [name, { schema: ofConfig, isSecret }] of Object.entries(descriptorOf(type).config.fields)) {
    if (isSecret && secrets[name] !== undefined) errors.push(...errorsOf(ofConfig, secrets[name], [name]));
  }
  return errors;
}
