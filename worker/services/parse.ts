import type { z } from "zod";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { ProblemError } from "./problem.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export type Checked<T> = { ok: true; data: T } | { ok: false; errors: FieldError[] };

/** The input as its schema describes it, or `invalid_request` with every problem and its path. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const checked = checkInput(schema, input);
  if (!checked.ok) throw invalidInput(checked.errors);
  return checked.data;
}

/** The same without throwing, for verbs that go on to look for more. `prefix` stands before every path. */
export function checkInput<T>(schema: z.ZodType<T>, input: unknown, prefix: Path = []): Checked<T> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return { ok: true, data: parsed.data };
  return { ok: false, errors: parsed.error.issues.flatMap((issue) => issueErrors(issue, prefix)) };
}

export function invalidInput(errors: readonly FieldError[]): ProblemError {
  const many = errors.length === 1 ? "One thing is" : `${errors.length} things are`;
  return new ProblemError("invalid_request", `${many} wrong with the request: see errors.`, { errors });
}

/** The fields of a body, whatever they are; none when it is no object. */
export function partsOf(input: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(input) ? input : {};
}

/** Bodies come from JSON, so an object among their values is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function issueErrors(issue: Issue, prefix: Path): FieldError[] {
  const path = [...prefix, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: join([...path, key]), message: "is not a field here: remove it" }));
    case "invalid_union":
      return unionErrors(issue, path);
    case "invalid_key":
      return issue.issues.map((inner) => ({
        path: join(path),
        message: `is not a name that can stand here: ${inner.message}`,
      }));
    default:
      return [{ path: join(path), message: words(issue) }];
  }
}

/** Of a union, the branch that comes nearest is what the sender meant: the one with the fewest problems. */
function unionErrors(issue: Extract<Issue, { code: "invalid_union" }>, path: Path): FieldError[] {
  const branches = issue.errors.map((issues) => issues.flatMap((inner) => issueErrors(inner, path)));
  const [nearest] = branches.filter((errors) => errors.length > 0).sort((a, b) => a.length - b.length);
  return nearest ?? [{ path: join(path), message: words(issue) }];
}

/** What must change, rather than what a validator expected. */
function words(issue: Issue): string {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? `must be one of ${issue.options.map(String).join(", ")}`
        : issue.message;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `must ${size(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`;
    case "too_big":
      return `must ${size(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`;
    default:
      return issue.message;
  }
}

function withArticle(expected: string): string {
  return /^[aeio]/u.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function size(origin: string): string {
  return origin === "string" || origin === "array" ? "have" : "be";
}

function unit(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}

function join(path: Path): string {
  return path.map(String).join(".");
}
