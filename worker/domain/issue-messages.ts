import { z } from "zod";
import { nearestValue } from "../../schema/contract/nearest-value.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { firstErrors, shorten } from "./shown-errors.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const SHOWN_KEY_CHARS = 200;

export interface IssueContext {
  /** Precedes every path. */
  readonly prefix?: Path;
  /** The schema and its input: with them, the error of an unknown field lists the known fields. */
  readonly schema?: unknown;
  readonly input?: unknown;
}

/** The problems of a schema's issue (`reportInput: true`), with their paths: what must change. */
export function issueErrors(issue: Issue, { prefix = [], schema, input }: IssueContext = {}): FieldError[] {
  const path = [...prefix, ...issue.path];
  const judged = schemaAt(schema, input, issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return firstErrors(issue.keys, (key) => [
        { path: join([...path, key]), message: `is not a field here${replacementAdvice(knownKeys(judged))}` },
      ]);
    case "invalid_union":
      return unionErrors(issue, path, judged);
    case "invalid_key":
      return issue.issues.map((inner) => ({
        path: join(path),
        message: `is not a valid name here: ${inner.message}`,
      }));
    default:
      return [{ path: join(path), message: issueMessage(issue) }];
  }
}

/** States what must change, rather than what a validator expected. A schema's custom message stays. */
function issueMessage(issue: Issue): string {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeName(issue.expected)}`;
    case "invalid_value":
      return issue.message.startsWith("Invalid ") ? oneOf(issue.values.map(String), issue.input) : issue.message;
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? oneOf(issue.options.map(String), discriminatorOf(issue))
        : issue.message;
    case "invalid_format":
      return issue.message.startsWith("Invalid ") ? formatMessage(issue) : issue.message;
    case "too_small":
      if (!issue.message.startsWith("Too small")) return issue.message;
      return (issue.origin === "string" || issue.origin === "array") && issue.minimum === 1
        ? "must not be empty"
        : `must ${size(issue.origin)} at least ${issue.minimum}${unit(issue.origin, issue.minimum)}`;
    case "too_big":
      if (!issue.message.startsWith("Too big")) return issue.message;
      return `must ${size(issue.origin)} at most ${issue.maximum}${unit(issue.origin, issue.maximum)}`;
    default:
      return issue.message;
  }
}

function oneOf(values: readonly string[], given: unknown): string {
  const meant = nearestValue(values, given);
  const guess = meant === null || values.length === 1 ? "" : `. Did you mean ${meant}?`;
  return `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}${guess}`;
}

function discriminatorOf(issue: Extract<Issue, { code: "invalid_union" }>): unknown {
  const { input, path } = issue;
  const name = path.at(-1);
  return typeof input === "object" && input !== null && name !== undefined ? Reflect.get(input, name) : input;
}

/** The fields of an object's schema; null for any other schema. */
export function knownKeys(schema: unknown): readonly string[] | null {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : null;
}

/** The text after "is not a field here": what to do instead. */
export function replacementAdvice(known: readonly string[] | null): string {
  if (known === null || known.length === 0) return ": remove it";
  return `: use ${known.length === 1 ? "" : "one of "}${known.join(", ")}`;
}

/** A type of values as people call it. */
function typeName(type: string): string {
  return TYPE_NAMES[type] ?? withArticle(type);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  record: "an object",
  string: "text",
};

export function withArticle(noun: string): string {
  return /^[aeio]/u.test(noun) ? `an ${noun}` : `a ${noun}`;
}

/**
 * The problems of the closest branch of a union: of those that take the value's type, the one with the fewest. When no
 * branch takes the type, one problem names all types.
 */
function unionErrors(issue: Extract<Issue, { code: "invalid_union" }>, path: Path, judged: unknown): FieldError[] {
  const options = judged instanceof z.ZodUnion ? judged.options : [];
  const types = issue.errors.map(refusedType);
  const ofItsType = types.includes(null);
  const named = [...new Set(types.flatMap((type) => (type === null ? [] : typeName(type))))];
  if (!ofItsType && issue.input !== undefined && named.length > 1) {
    return [{ path: join(path), message: `must be ${named.slice(0, -1).join(", ")} or ${named.at(-1)}` }];
  }
  const branches = issue.errors.map((issues, index) =>
    ofItsType && types[index] !== null
      ? []
      : firstErrors(issues, (inner) =>
          issueErrors(inner, { prefix: path, schema: options[index], input: issue.input }),
        ),
  );
  const [nearest] = branches.filter((errors) => errors.length > 0).sort((a, b) => a.length - b.length);
  return nearest ?? [{ path: join(path), message: issueMessage(issue) }];
}

/** The type that a union's branch wants instead of the value's; null when it takes that type. */
function refusedType(issues: readonly Issue[]): string | null {
  const type = issues.find(({ code, path }) => code === "invalid_type" && path.length === 0);
  return type?.code === "invalid_type" ? type.expected : null;
}

/** The schema that judged the value at a path; undefined when it is unknown. */
function schemaAt(schema: unknown, input: unknown, [key, ...rest]: Path): unknown {
  const own = unwrapped(schema, input);
  if (key === undefined) return own;
  const value = typeof input === "object" && input !== null ? Reflect.get(input, key) : undefined;
  if (own instanceof z.ZodObject) return schemaAt(own.shape[String(key)], value, rest);
  if (own instanceof z.ZodArray) return schemaAt(own.element, value, rest);
  if (own instanceof z.ZodRecord) return schemaAt(own.valueType, value, rest);
  return undefined;
}

/** The schema inside wrappers; of a union, the option that is closest to the value. */
function unwrapped(schema: unknown, input: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodLazy
  ) {
    return unwrapped(schema.unwrap(), input);
  }
  if (!(schema instanceof z.ZodUnion) || typeof input !== "object" || input === null) return schema;
  const options = schema.options.map((option) => unwrapped(option, input));
  const [nearest] = options.toSorted((a, b) => likeness(b, input) - likeness(a, input));
  return nearest !== undefined && likeness(nearest, input) > 0 ? nearest : schema;
}

/** The number of an object's fields that a schema has; an equal literal counts for more than all others. */
function likeness(schema: unknown, input: object): number {
  if (!(schema instanceof z.ZodObject)) return 0;
  return Object.entries(input).reduce((sum, [name, value]) => {
    const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field === undefined) return sum;
    return sum + (field instanceof z.ZodLiteral && field.values.has(value) ? 1_000 : 1);
  }, 0);
}

const FORMAT_LABELS: Readonly<Record<string, string>> = {
  datetime: "must be a time like 2026-12-01T00:00:00Z",
  email: "must be an email address",
  url: "must be an address like https://example.org/path",
};

function formatMessage({ format, message }: Extract<Issue, { code: "invalid_format" }>): string {
  return FORMAT_LABELS[format] ?? message.replace(/^Invalid string: /u, "");
}

function size(origin: string): string {
  return origin === "string" || origin === "array" ? "have" : "be";
}

function unit(origin: string, count: number | bigint): string {
  const isOne = Number(count) === 1;
  if (origin === "string") return isOne ? " character" : " characters";
  if (origin === "array") return isOne ? " entry" : " entries";
  return "";
}

function join(path: Path): string {
  return path.map((part) => shorten(String(part), SHOWN_KEY_CHARS)).join(".");
}
