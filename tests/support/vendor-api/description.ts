import Ajv, { type ErrorObject } from "ajv";

export type Json = Record<string, unknown>;

export interface Operation {
  path: string;
  pathValues: Map<string, string>;
  /** Path, query and form parameters and, in OpenAPI 2, the body; references are resolved. */
  parameters: Json[];
  consumes: string[];
  requestBody: Json | null;
}

/** An OpenAPI 2 or 3 description: its operations, and values against its schemas. */
export class Description {
  readonly #document: Json;
  readonly #version2: boolean;
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  readonly #compiled = new Map<string, ReturnType<Ajv["compile"]>>();

  constructor(document: Json) {
    this.#document = document;
    this.#version2 = document["swagger"] === "2.0";
  }

  named(name: string): Json {
    const ref = this.#version2 ? `#/definitions/${name}` : `#/components/schemas/${name}`;
    this.resolved({ $ref: ref });
    return { $ref: ref };
  }

  resolved(value: unknown): Json {
    const { $ref } = record(value);
    if (typeof $ref !== "string") return record(value);
    let place: unknown = this.#document;
    for (const part of $ref.slice(2).split("/"))
      place = record(place)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
    if (place === undefined) throw new Error(`the description has no ${$ref}`);
    return this.resolved(place);
  }

  /** The operation of a request, or a message that the description lacks it. */
  operation(method: string, path: string): Operation | string {
    const base = typeof this.#document["basePath"] === "string" ? this.#document["basePath"].replace(/\/$/u, "") : "";
    const found = Object.entries(record(this.#document["paths"]))
      .map(([template, item]) => ({ item: record(item), pathValues: matched(base + template, path), template }))
      // A path without parameters wins over one with them.
      .toSorted((a, b) => (a.pathValues?.size ?? 0) - (b.pathValues?.size ?? 0))
      .find(({ pathValues }) => pathValues !== null);
    if (found === undefined || found.pathValues === null) return `${path} is not a path of this API`;
    const verb = found.item[method.toLowerCase()];
    if (verb === undefined) return `${found.template} has no ${method}`;
    const operation = record(verb);
    const parameters = [...list(found.item["parameters"]), ...list(operation["parameters"])];
    return {
      path: found.template,
      pathValues: found.pathValues,
      parameters: parameters.map((parameter) => this.resolved(parameter)),
      consumes: list(operation["consumes"] ?? this.#document["consumes"]).map(String),
      requestBody: operation["requestBody"] === undefined ? null : this.resolved(operation["requestBody"]),
    };
  }

  valueProblems(schema: Json, value: unknown, partial = false): string[] {
    const key = `${partial} ${JSON.stringify(schema)}`;
    const validate = this.#compiled.get(key) ?? this.#ajv.compile(this.#standalone(schema, partial));
    this.#compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(wording);
  }

  /** The schema with its references resolved, as plain JSON Schema that names every allowed field. */
  #standalone(schema: Json, partial: boolean): Json {
    const definitions: Json = {};
    const convert = (value: unknown, merged = false): unknown => {
      if (Array.isArray(value)) return value.map((entry) => convert(entry));
      if (typeof value !== "object" || value === null) return value;
      const plain = record(value);
      if (typeof plain["$ref"] === "string") {
        const name = plain["$ref"].replaceAll("/", "|");
        if (!(name in definitions)) {
          definitions[name] = {};
          definitions[name] = convert(this.resolved(plain), merged);
        }
        return { $ref: `#/definitions/${name}` };
      }
      // Each part of an allOf names only its own fields.
      if (Array.isArray(plain["allOf"])) return convert(this.#flattened(plain), merged);
      const {
        properties,
        required,
        nullable,
        example,
        xml,
        discriminator,
        readOnly,
        default: ignored,
        ...rest
      } = plain;
      void [example, xml, discriminator, readOnly, ignored];
      const converted: Json = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, convert(inner)]));
      if (plain["format"] === "int-or-string") converted["type"] = ["integer", "string"];
      if (properties !== undefined) {
        const fields = Object.entries(record(properties));
        converted["properties"] = Object.fromEntries(fields.map(([name, inner]) => [name, convert(inner)]));
        converted["additionalProperties"] ??= false;
      }
      if (required !== undefined && !partial) converted["required"] = required;
      if ((partial || nullable === true) && typeof converted["type"] === "string") {
        converted["type"] = [converted["type"], "null"];
      }
      return converted;
    };
    return { ...record(convert(schema)), definitions };
  }

  #flattened(schema: Json): Json {
    const { allOf, ...own } = schema;
    const parts = [...list(allOf).map((part) => this.resolved(part)), own];
    return parts.reduce<Json>((sum, part) => {
      const flat = Array.isArray(part["allOf"]) ? this.#flattened(part) : part;
      const properties = { ...record(sum["properties"] ?? {}), ...record(flat["properties"] ?? {}) };
      const required = [...list(sum["required"]), ...list(flat["required"])];
      const fields = Object.keys(properties).length === 0 ? {} : { properties };
      return { ...sum, ...flat, ...fields, ...(required.length === 0 ? {} : { required }) };
    }, {});
  }
}

function matched(template: string, path: string): Map<string, string> | null {
  const [wanted, given] = [template.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const values = new Map<string, string>();
  for (const [index, part] of wanted.entries()) {
    const name = /^\{(.+)\}$/u.exec(part)?.[1];
    const text = given[index] ?? "";
    if (name === undefined ? part !== text : text === "") return null;
    if (name !== undefined) values.set(name, decodeURIComponent(text));
  }
  return values;
}

function wording({ instancePath, message = "is not valid", keyword, params }: ErrorObject): string {
  const detail = keyword === "additionalProperties" ? `: ${String(params["additionalProperty"])}` : "";
  return `${instancePath} ${message}${detail}`;
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function record(value: unknown): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`not an object: ${JSON.stringify(value)?.slice(0, 100)}`);
  }
  return Object.fromEntries(Object.entries(value));
}
