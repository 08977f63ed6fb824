import type { JsonValue } from "../../../schema/contract/json.ts";
import { RENDERED_JOB_MAX_BYTES } from "../../../schema/limits.ts";
import { shorten } from "../shown-errors.ts";
import { TemplateFailure } from "./failure.ts";
import { firstOther, textOf } from "./value.ts";
import type { Resolve } from "./value.ts";

export interface FilterCall {
  readonly name: string;
  readonly args: readonly JsonValue[];
}

/** A path and the filters for its value; `source` is the template as written, with its braces. */
export interface FilteredPath {
  readonly path: readonly string[];
  readonly filters: readonly FilterCall[];
  readonly source: string;
}

const SHOWN_CHARS = 200;
const CORRECT_IT = "Correct it at its source, or change the filter";

type Value = JsonValue | undefined;

interface Filter {
  readonly args: "none" | "one" | "any";
  /** Whether the result has one of a few harmless forms for every value. */
  readonly narrows?: true;
  /** Throws the end of a sentence that begins with "the value". */
  readonly apply: (value: Value, args: readonly JsonValue[]) => Value;
}

/** Every filter. An empty value passes unchanged, except in `default`, `required`, `lines` and `split`. */
const FILTERS = {
  default: { args: "one", apply: (value, [other]) => (isEmpty(value) ? other : value) },
  required: { args: "none", apply: (value) => value },
  trim: ofText((text) => text.trim()),
  json: { args: "none", apply: (value) => JSON.stringify(value) },
  lower: ofText((text) => text.toLowerCase()),
  upper: ofText((text) => text.toUpperCase()),
  lines: ofText((text) => text.replace(/\r?\n$/u, "").split(/\r?\n/u)),
  split: { args: "one", apply: (value, [separator]) => textOf(value).split(textOf(separator)) },
  join: { args: "one", apply: (value, [separator]) => joined(listOf(value), textOf(separator)) },
  first: { args: "none", apply: (value) => listOf(value)[0] },
  last: { args: "none", apply: (value) => listOf(value).at(-1) },
  int: narrowing(
    "a whole number of at most 15 digits without leading zeros",
    /^-?(?:0|[1-9][0-9]{0,14})$/u,
    /[0-9-]/u,
    Number,
  ),
  number: narrowing("a number such as 2.75", /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/u, /[0-9.-]/u, Number),
  bool: narrowing("true or false", /^(?:true|false)$/u, /[a-z]/u, (text) => text === "true"),
  name: narrowing("a name of letters, digits, _ . and -", /^\w[\w.-]{0,252}$/u, /[\w.-]/u, (text) => text),
  oneOf: { args: "any", narrows: true, apply: chosen },
} as const satisfies Record<string, Filter>;
export type FilterName = keyof typeof FILTERS;
const BY_NAME: ReadonlyMap<string, Filter> = new Map(Object.entries(FILTERS));
export const FILTER_NAMES: readonly string[] = [...BY_NAME.keys()];

/** Filters such as `json` could double a text repeatedly. */
const TOO_LONG = `is longer than the ${RENDERED_JOB_MAX_BYTES} characters that a job can hold`;

/** The reason why a filter cannot be used like this, as a sentence's end; null when it can. */
export function filterProblem({ name, args }: FilterCall): string | null {
  const filter = BY_NAME.get(name);
  if (filter === undefined) return `has the unknown filter ${name}. The filters are ${FILTER_NAMES.join(", ")}`;
  if (filter.args === "none" && args.length > 0) return `gives ${name} an argument, but this filter takes none`;
  if (filter.args === "one" && args.length !== 1) return `must give ${name} one argument, such as | ${name}:","`;
  if (filter.args === "any" && args.length === 0) return `must give ${name} its choices, such as | ${name}:"a","b"`;
  return name === "split" && textOf(args[0]) === "" ? "must give split a separator that is not empty" : null;
}

/** Whether the last filter narrows: only that filter's results are then possible. */
export function isNarrowed(filters: readonly FilterCall[]): boolean {
  return BY_NAME.get(filters.at(-1)?.name ?? "")?.narrows === true;
}

/**
 * A template's value after its filters; undefined when its path does not resolve. Throws a `TemplateFailure`:
 * `empty_value` where `required` finds nothing, `invalid_value` where a value does not fit its filter.
 */
export function evaluate(template: FilteredPath, resolve: Resolve): Value {
  const { path, filters } = template;
  const source = shorten(template.source, SHOWN_CHARS);
  return filters.reduce((current: Value, { name, args }) => {
    if (isEmpty(current) && name === "required") {
      const message = `${source} is empty, and | required asks for a value. Check its source, or use | default.`;
      throw new TemplateFailure("empty_value", message);
    }
    if (isEmpty(current) && (name === "lines" || name === "split")) return [];
    if (isEmpty(current) && name !== "default") return current;
    try {
      const result = BY_NAME.get(name)?.apply(current, args);
      if (typeof result === "string" && result.length > RENDERED_JOB_MAX_BYTES) throw new Error(TOO_LONG);
      return result;
    } catch (error) {
      throw new TemplateFailure(
        "invalid_value",
        `${source}: the value ${error instanceof Error ? error.message : ""}.`,
      );
    }
  }, resolve(path));
}

export function isEmpty(value: Value): boolean {
  return value === undefined || value === null || value === "";
}

function ofText(apply: (text: string) => JsonValue): Filter {
  return { args: "none", apply: (value) => apply(textOf(value)) };
}

/** Accepts texts of one form. Its error shows at most one character of the value. */
function narrowing(what: string, form: RegExp, allowed: RegExp, read: (text: string) => JsonValue): Filter {
  const apply = (value: Value) => {
    const text = textOf(value);
    if (form.test(text)) return read(text);
    const other = firstOther(text, allowed);
    const why = other === null ? "" : `: ${other}`;
    const trim = /[\r\n]$/u.test(text)
      ? "It ends in a line break"
      : text === text.trim()
        ? null
        : "It has spaces around it";
    throw new Error(`is not ${what}${why}. ${trim === null ? CORRECT_IT : `${trim}: write | trim before this filter`}`);
  };
  return { args: "none", narrows: true, apply };
}

function joined(list: readonly JsonValue[], separator: string): string {
  if (list.length * separator.length > RENDERED_JOB_MAX_BYTES) throw new Error(TOO_LONG);
  return list.map(textOf).join(separator);
}

function chosen(value: Value, choices: readonly JsonValue[]): JsonValue {
  const found = choices.find((choice) => textOf(choice) === textOf(value));
  if (found === undefined)
    throw new Error(
      `is not one of ${shorten(choices.map((one) => JSON.stringify(one)).join(", "), 500)}. ${CORRECT_IT}`,
    );
  return found;
}

function listOf(value: Value): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new Error("is not a list. Make one with | lines or | split");
}
