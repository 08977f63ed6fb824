import { z } from "zod";
import { opaqueIdSchema } from "./ids.ts";
import { jsonValueSchema } from "./json.ts";

/** Parts that the parameters of several actions share. Lengths in characters. */
export const text = z.string().max(1_048_576);
export const name = z.string().min(1).max(253);
/** Marks a number in JSON Schema that may also be sent as a string of digits. */
export const DIGITS_TOO = "x-digits-too";
export const wholeNumber = (min: number, max: number) =>
  z.preprocess(
    // A template gives the caller's value, and callers often send numbers as strings.
    (value) => (typeof value === "string" && /^-?\d{1,15}$/u.test(value) ? Number(value) : value),
    z
      .int()
      .min(min)
      .max(max)
      .meta({ [DIGITS_TOO]: true }),
  );
const environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, "must be a name of letters, digits and _"),
  text,
);
/** The values of `:name` in a query. A list or an object is bound as its JSON text. */
export const sqlParameters = z.record(
  z
    .string()
    .regex(/^(?!bellhop_)[A-Za-z_][A-Za-z0-9_]{0,62}$/iu, "must be a name of letters, digits and _, without bellhop_"),
  jsonValueSchema,
);
/**
 * The custom connection whose secrets a script gets as environment variables
 * (docs/design/connections.md#secrets-for-scripts). Always an id, never a template, which saving checks: a workflow's
 * caller must not choose whose secrets its scripts get.
 */
export const SECRETS_FROM = {
  schema: opaqueIdSchema.optional(),
  label: "Secrets from",
  help: "The id of a custom connection, never a template. The script gets its secrets as environment variables.",
} as const;
export const CODE = { schema: z.string().min(1).max(1_048_576) } as const;
export const ENV = {
  schema: environment.optional(),
  label: "Environment variables",
  help: "Further environment variables of the script. Any value is safe here.",
} as const;
export const ADDRESSES_MAX = 100;
export const ADDRESSES_MAX_CHARS = 10_000;
export const addresses = z.union([
  z.string().min(1).max(ADDRESSES_MAX_CHARS),
  z.array(z.string().min(1).max(320)).min(1).max(ADDRESSES_MAX),
]);
