import { z } from "zod";
import { CONNECTION_SECRETS } from "../../../../schema/contract/credential.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { teamchatConfigSchema } from "../../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { FieldError } from "../../../../schema/contract/problem.ts";
import { errorsOf } from "../form/check-form.ts";

export interface SecretField {
  name: string;
  required: boolean;
}

/** One way to fill in a type's credential; of several, somebody chooses. */
export interface SecretForm {
  fields: readonly SecretField[];
  /** Names are free: those of a custom connection. */
  isFree: boolean;
  schema: z.ZodType;
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

/** The ways that a type's credential can have at all, read from the contract. */
export function secretForms(type: ConnectionType): SecretForm[] {
  const schema: z.ZodType = CONNECTION_SECRETS[type];
  const options =
    schema instanceof z.ZodUnion ? schema.options.filter((option) => option instanceof z.ZodType) : [schema];
  return options.map((option) => {
    const { properties, required } = objectSchema.parse(
      z.toJSONSchema(option, { io: "input", unrepresentable: "any" }),
    );
    const fields = Object.keys(properties).map((name) => ({ name, required: required.includes(name) }));
    return { fields, isFree: option instanceof z.ZodRecord, schema: option };
  });
}

const HTTP_SECRET: Readonly<Record<string, string>> = { basic: "password", bearer: "token", apiKey: "apiKey" };

/** Those that go with how the connection logs in; none where it has no credential. */
export function secretFormsFor(type: ConnectionType, config: JsonObject): SecretForm[] {
  const forms = secretForms(type).filter(({ fields, isFree }) => isFree || fields.length > 0);
  const having = (name: unknown) => forms.filter(({ fields }) => fields.some((field) => field.name === name));
  if (type === "ssh") return having(config["authMethod"]);
  if (type === "http") return having(HTTP_SECRET[String(config["authType"])]);
  if (type === "database" && config["driver"] === "sqlite") return [];
  return forms;
}

/** What was typed, without what was left empty. */
export function givenSecrets(typed: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ""));
}

/** What is wrong with secrets before they are sealed: afterwards only the agent could tell. Quotes none of them. */
export function checkSecrets(type: ConnectionType, { schema, isFree }: SecretForm, secrets: Record<string, string>) {
  const errors: FieldError[] = errorsOf(schema, secrets, []);
  if (isFree && Object.keys(secrets).length === 0)
    errors.push({ path: "", message: "is empty: give at least one secret" });
  const address = secrets["webhookUrl"];
  if (type === "teamchat" && address !== undefined) {
    errors.push(...errorsOf(teamchatConfigSchema.shape.webhookUrl, address, ["webhookUrl"]));
  }
  return errors;
}
