import type { JsonValue } from "../../../schema/contract/json.ts";
import { TemplateFailure } from "./failure.ts";
import { firstOther, textOf } from "./value.ts";

export interface FilterCall {
  readonly name: string;
  readonly args: readonly JsonValue[];
}

type Value = JsonValue | undefined;

interface Filter {
  readonly args: "none" | "one" | "any";
  /** Whether the result is one of few harmless forms, whatever the value was. */
  readonly narrows?: true;
  /** Throws the end of a sentence that begins with "the value". */
  readonly apply: (value: Value, args: readonly JsonValue[]) => Value;
}

/** Every filter. Empty values pass all but `default` and `required`. */
const FILTERS: Readonly<Record<string, Filter>> = {
  default: { args: "one", apply: (value, [other]) => (isEmpty(value) ? other : value) },
  required: { args: "none", apply: (value) => value },
  trim: { args: "none", apply: (value) => textOf(value).trim() },
  json: { args: "none", apply: (value) => JSON.stringify(value) },
  lower: { args: "none", apply: (value) => textOf(value).toLowerCase() },
  upper: { args: "none", apply: (value) => textOf(value).toUpperCase() },
  lines: { args: "none", apply: (value) => linesOf(textOf(value)) },
  split: { args: "one", apply: (value, [separator]) => textOf(value).split(textOf(separator)) },
  join: {
    args: "one",
    apply: (value, [separator]) =>
      listOf(value)
        .map((member) => textOf(member))
        .join(textOf(separator)),
  },
  first: { args: "none", apply: (value) => listOf(value)[0] },
  last: { args: "none", apply: (value) => listOf(value).at(-1) },
  int: {
    args: "none",
    narrows: true,
    apply: (value) =>
      Number(matching(value, /^-?(?:0|[1-9][0-9]{0,14})$/u, /[0-9-]/u, "a whole number of at most 15 digits")),
  },
  number: {
    args: "none",
    narrows: true,
    apply: (value) =>
      Number(
        matching(value, /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/u, /[0-9.-]/u, "a number such as -5 or 2.75"),
      ),
  },
  bool: {
    args: "none",
    narrows: true,
    apply: (value) => matching(value, /^(?:true|false)$/u, /./su, "true or false") === "true",
  },
  name: {
    args: "none",
    narrows: true,
    apply: (value) =>
      matching(
        value,
        /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$/u,
        /[A-Za-z0-9_.-]/u,
        "a name of letters, digits, _ . and - that begins with a letter, a digit or _",
      ),
  },
  oneOf: {
    args: "any",
    narrows: true,
    apply: (value, choices) => {
      const found = choices.find((choice) => textOf(choice) === textOf(value));
      if (found === undefined)
        throw new Error(`is none of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`);
      return found;
    },
  },
};

/** What an editor may offer behind `|`. */
export const FILTER_NAMES: readonly string[] = Object.keys(FILTERS);

/** Why a filter cannot be used so, as a sentence's end; null when it can. */
export function filterProblem({ name, args }: FilterCall): string | null {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter === undefined) return `has the unknown filter ${name}. The filters are ${FILTER_NAMES.join(", ")}`;
  if (filter.args === "none" && args.length > 0) return `gives ${name} an argument, and it takes none`;
  if (filter.args === "one" && args.length !== 1) return `must give ${name} one argument, such as | ${name}:","`;
  if (filter.args === "any" && args.length === 0)
    return `must give ${name} its choices, such as | ${name}:"start","stop"`;
  return name === "split" && textOf(args[0]) === "" ? "must give split a separator that is not empty" : null;
}

/** Whether the last filter narrows: the value can then only be what that filter lets through. */
export function isNarrowed(filters: readonly FilterCall[]): boolean {
  return FILTERS[filters.at(-1)?.name ?? ""]?.narrows === true;
}

/**
 * A value behind its filters. Throws a `TemplateFailure`: `empty_value` where `required` finds nothing, `invalid_value`
 * where a value does not fit its filter.
 */
export function applyFilters(source: string, filters: readonly FilterCall[], value: Value): Value {
  return filters.reduce((current, { name, args }) => {
    if (name === "required" && isEmpty(current)) {
      throw new TemplateFailure(
        "empty_value",
        `${source} is empty, and | required asks for a value. Look at what gives it, or use | default.`,
      );
    }
    if (isEmpty(current) && name !== "default") return current;
    try {
      return FILTERS[name]?.apply(current, args);
    } catch (error) {
      throw new TemplateFailure(
        "invalid_value",
        `${source}: the value ${error instanceof Error ? error.message : ""}.`,
      );
    }
  }, value);
}

export function isEmpty(value: Value): boolean {
  return value === undefined || value === null || value === "";
}

/** The value's text if it has this form. The error shows one character of it at most. */
function matching(value: Value, form: RegExp, allowed: RegExp, what: string): string {
  const text = textOf(value);
  if (form.test(text)) return text;
  const other = firstOther(text, allowed);
  const remedy = /[\r\n]$/u.test(text) ? ". It ends in a line break: write | trim before this filter" : "";
  throw new Error(`is not ${what}${other === null ? "" : `: ${other}`}${remedy}`);
}

function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/u, "").split(/\r?\n/u);
}

function listOf(value: Value): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new Error("is not a list. Make one with | lines or | split");
}
