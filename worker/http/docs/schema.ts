import { subschema } from "../openapi/subschema.ts";
import type { JsonSchema } from "../openapi/types.ts";
import { fieldName, html, inline, join, table } from "./html.ts";
import type { Html } from "./html.ts";

const IN_DOCUMENT = "#/components/schemas/";

/** A shape for readers: its fields as a table, its variants, or only its type. */
export function schemaBlock(schema: JsonSchema): Html {
  const variants = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== "null");
  if (variants.length > 1 && variants.some((variant) => variant.properties !== undefined)) {
    return html`${variants.map((variant) => html`<div class="variant">${variantTitle(variant)}${schemaBlock(variant)}</div>`)}`;
  }
  const fields = fieldsOf(schema, "");
  if (fields.length === 0) return html`<p class="type">${typeOf(schema)}</p>`;
  return table(["Field", "Type", "Notes"], fields);
}

/** A schema's type in words, with links to components. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(IN_DOCUMENT.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const values = schema.enum?.map((value) => html`<code>${String(value)}</code>`);
  if (values !== undefined) return join(values, " · ");
  const types = [schema.type ?? "anything"].flat().map((type) => oneType(type, schema));
  return join((schema.anyOf ?? schema.oneOf ?? schema.allOf)?.map(typeOf) ?? types, " or ");
}

/** The constraints of a value, in words. */
export function notesOf(schema: JsonSchema): Html {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, description } = schema;
  const notes = [
    ...(description === undefined ? [] : [html`${inline(description)}`]),
    ...(schema.default === undefined ? [] : [html`default <code>${JSON.stringify(schema.default)}</code>`]),
    ...range("characters", minLength, maxLength),
    ...range("", minimum, maximum),
    ...range("entries", minItems, maxItems),
    ...(pattern === undefined ? [] : [html`<code class="pattern">${pattern}</code>`]),
  ];
  return join(notes, "; ");
}

/** Fields of unnamed objects are in the same table, under their path. */
function fieldsOf(schema: JsonSchema, prefix: string): Html[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const field = subschema(inner) ?? {};
    const path = `${prefix}${name}`;
    return [
      [fieldName(path, schema.required?.includes(name) === true), typeOf(field), notesOf(field)],
      ...fieldsOf(field, `${path}.`),
      ...fieldsOf(subschema(field.items) ?? {}, `${path}[].`),
      ...fieldsOf(subschema(field.additionalProperties) ?? {}, `${path}.*.`),
    ];
  });
}

function oneType(type: string, schema: JsonSchema): Html {
  switch (type) {
    case "array":
      return html`list of ${typeOf(subschema(schema.items) ?? {})}`;
    case "object": {
      const values = subschema(schema.additionalProperties);
      return values === undefined ? html`object` : html`object of ${typeOf(values)}`;
    }
    case "string":
      return html`${schema.format ?? "string"}`;
    default:
      return html`${type}`;
  }
}

/** Variants differ by a field with a single value. */
function variantTitle({ properties = {} }: JsonSchema): Html | null {
  for (const [name, inner] of Object.entries(properties)) {
    const value = subschema(inner)?.const;
    if (value !== undefined) return html`<h5><code>${name}: ${JSON.stringify(value)}</code></h5>`;
  }
  return null;
}

function range(unit: string, from: number | undefined, to: number | undefined): Html[] {
  const said = unit === "" ? "" : ` ${unit}`;
  if (from !== undefined && to !== undefined) return [html`${from} to ${to}${said}`];
  if (from !== undefined) return [html`at least ${from}${said}`];
  return to === undefined ? [] : [html`at most ${to}${said}`];
}
