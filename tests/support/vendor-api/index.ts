import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Description, type Json, type Operation, record } from "./description.ts";

/** One request as a fake server received it. */
export interface VendorRequest {
  method: string;
  /** The unchanged path, without the query. */
  path: string;
  query: URLSearchParams;
  contentType: string | null;
  /** The unchanged text; empty for no body. */
  body: string;
}

export interface VendorApi {
  /**
   * The problems of a request: its path, method, query parameters, content type and body, including fields that the
   * description does not name. Headers are not checked.
   */
  check(request: VendorRequest): string[];
  /**
   * The problems of a value with a named schema; `partial` treats it as a patch: no field is required, and null
   * removes.
   */
  checkValue(schemaName: string, value: unknown, how?: { partial?: boolean }): string[];
}

/** A folder with the descriptions that vendors publish, for an extra check. Unset: only our shapes are checked. */
const FOLDER = process.env["BELLHOP_VENDOR_APIS"];
const JSON_TYPE = /^application\/(.+\+)?json$/u;
const PATCH_OPERATIONS = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/**
 * Checks requests against the description `ours`, and against `<folder>/<published>`, an OpenAPI 2 or 3 description as
 * JSON, if that file exists. It may lack a path of `ours`.
 */
export function vendorApi(ours: Json, published: string): VendorApi {
  const path = FOLDER === undefined ? null : join(FOLDER, published);
  const own = new Description(ours);
  const theirs =
    path !== null && existsSync(path) ? new Description(record(JSON.parse(readFileSync(path, "utf8")))) : null;
  return {
    check: (request) => {
      const knows = typeof theirs?.operation(request.method, request.path) === "object";
      return [...check(own, request), ...(theirs !== null && knows ? check(theirs, request) : [])];
    },
    checkValue: (name, value, how) =>
      [own, theirs].flatMap(
        (description) => description?.valueProblems(description.named(name), value, how?.partial === true) ?? [],
      ),
  };
}

function check(description: Description, request: VendorRequest): string[] {
  const operation = description.operation(request.method, request.path);
  if (typeof operation === "string") return [operation];
  return [
    ...parameterProblems(description, operation, request),
    ...(request.body === "" ? missingBody(operation) : bodyProblems(description, operation, request)),
  ];
}

function parameterProblems(description: Description, { parameters, pathValues }: Operation, request: VendorRequest) {
  const problems: string[] = [];
  const known = new Map(
    parameters.filter(({ in: place }) => place === "query").map((each) => [String(each["name"]), each]),
  );
  for (const [name, value] of request.query) {
    const parameter = known.get(name);
    if (parameter === undefined) problems.push(`query parameter ${name} is not described`);
    else problems.push(...textProblems(description, `query parameter ${name}`, schemaOf(parameter), value));
    if (parameter?.["type"] !== undefined && request.query.getAll(name).length > 1) {
      problems.push(`query parameter ${name} is given more than once`);
    }
  }
  for (const [name, parameter] of known) {
    if (parameter["required"] === true && !request.query.has(name)) problems.push(`query parameter ${name} is missing`);
  }
  for (const parameter of parameters.filter(({ in: place }) => place === "path")) {
    const name = String(parameter["name"]);
    problems.push(
      ...textProblems(description, `path parameter ${name}`, schemaOf(parameter), pathValues.get(name) ?? ""),
    );
  }
  return problems;
}

function missingBody({ parameters, requestBody }: Operation): string[] {
  const needed = parameters.some(
    ({ in: place, required }) => (place === "body" || place === "formData") && required === true,
  );
  return needed || requestBody?.["required"] === true ? ["the body is missing"] : [];
}

function bodyProblems(description: Description, operation: Operation, request: VendorRequest): string[] {
  const type = (request.contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const bodyParameter = operation.parameters.find(({ in: place }) => place === "body");
  const fields = operation.parameters.filter(({ in: place }) => place === "formData");
  const content = record(operation.requestBody?.["content"] ?? {});
  const accepted = operation.requestBody === null ? operation.consumes : Object.keys(content);
  if (bodyParameter === undefined && fields.length === 0 && operation.requestBody === null) {
    return [`${operation.path} takes no body`];
  }
  if (type === "") return ["the body has no content type"];
  const anything = accepted.includes("*/*");
  if (anything ? !JSON_TYPE.test(type) : !accepted.includes(type)) return [`content type ${type} is not accepted`];
  if (fields.length > 0) return formProblems(description, fields, request.body, type);
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    return ["the body is not JSON"];
  }
  if (type === "application/json-patch+json") return jsonPatchProblems(value);
  const schema = bodyParameter?.["schema"] ?? record(content[type] ?? content["*/*"] ?? {})["schema"];
  return description.valueProblems(record(schema ?? {}), value).map((problem) => `body${problem}`);
}

/** The problems of a form, or of a JSON object in its place: in JSON a field described as text may be a structure. */
function formProblems(description: Description, fields: Json[], body: string, type: string): string[] {
  const form = JSON_TYPE.test(type) ? null : new URLSearchParams(body);
  let given: Json;
  try {
    given = form === null ? record(JSON.parse(body)) : Object.fromEntries(form);
  } catch {
    return ["the body is not a JSON object"];
  }
  const problems = Object.keys(given)
    .filter((name) => !fields.some((field) => field["name"] === name))
    .map((name) => `field ${name} is not described`);
  for (const field of fields) {
    const value = given[String(field["name"])];
    const what = `field ${String(field["name"])}`;
    if (value === undefined) problems.push(...(field["required"] === true ? [`${what} is missing`] : []));
    else if (form !== null) problems.push(...textProblems(description, what, schemaOf(field), String(value)));
    else if (field["type"] !== "string" || typeof value !== "object" || value === null) {
      problems.push(...description.valueProblems(schemaOf(field), value).map((problem) => `${what}${problem}`));
    }
  }
  return problems;
}

/** A list of operations (RFC 6902); descriptions declare it as an object, like the other kinds of patch. */
function jsonPatchProblems(value: unknown): string[] {
  if (!Array.isArray(value)) return ["a JSON patch must be a list"];
  const fits = (entry: unknown): boolean => {
    const { op, path } = record(entry);
    return typeof op === "string" && PATCH_OPERATIONS.has(op) && typeof path === "string" && /^(\/|$)/u.test(path);
  };
  return value.every(fits) ? [] : ["an operation of the JSON patch is not valid"];
}

function textProblems(description: Description, what: string, schema: Json, text: string): string[] {
  const type = schema["type"];
  if (type === "array") return textProblems(description, what, description.resolved(schema["items"] ?? {}), text);
  let value: unknown = text;
  if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/u.test(text)) value = Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) value = text === "true";
  return description.valueProblems(schema, value).map((problem) => `${what}${problem}`);
}

/** In OpenAPI 3 a parameter has a schema; in OpenAPI 2 it is one. */
function schemaOf(parameter: Json): Json {
  if (parameter["schema"] !== undefined) return record(parameter["schema"]);
  const { type, format, enum: choices, items, pattern } = parameter;
  return Object.fromEntries(
    Object.entries({ type, format, enum: choices, items, pattern }).filter(([, value]) => value !== undefined),
  );
}
