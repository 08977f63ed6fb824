import type { JsonValue } from "../../../schema/contract/json.ts";
import { shorten } from "../shown-errors.ts";
import { filterProblem } from "./filters.ts";
import type { FilterCall, FilteredPath } from "./filters.ts";
import type { Steps } from "../steps.ts";

/** `{{webhook.hosts.0 | default:"web-1"}}`: a path through own properties, and the filters for its value. */
export interface Template extends FilteredPath {
  readonly type: "path";
  /** The position of its beginning in the text (UTF-16). */
  readonly at: number;
}
export type Segment = { readonly type: "text"; readonly text: string } | Template;

export interface ParsedTemplate {
  readonly segments: readonly Segment[];
  /** The problems of the text, one sentence each. Unreadable parts are among the segments as plain text. */
  readonly problems: readonly string[];
}

const OPEN = "{{";
const CLOSE = "}}";
/** Two braces between quotes mean literal braces. */
const LITERAL = /\{\{\s*(?:"\{\{"|'\{\{')\s*\}\}/uy;
// Names are what callers send as keys, so nearly everything may be in one. Quotes and braces belong to the templates of
// docker and kubectl and to Python's dictionaries; blanks, bars and brackets to calls and indexes of other languages.
// oxlint-disable-next-line no-control-regex
const NAME = /[^\s.{}"'`|[\]()\u0000-\u001f\u007f]+/uy;
const NEXT_NAME = new RegExp(
  `\\.(${NAME.source})|\\[\\s*("(?:[^"\\\\\\n]|\\\\.){0,300}"|'[^'\\n]{0,300}')\\s*\\]`,
  "uy",
);
const FILTER = /\s*\|\s*([A-Za-z][A-Za-z0-9]*)\s*(:)?/uy;
const ARGUMENT =
  /\s*("(?:[^"\\\n]|\\.){0,1000}"|'[^'\n]{0,1000}'|-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?|true|false|null)\s*(,)?/uy;
const START = /\{\{\s*/uy;
const END = /\s*\}\}/uy;
const PATH_MAX_CHARS = 512;
const FILTERS_MAX = 20;
const SHOWN_CHARS = 60;
/** The cost of a template or a text with braces, in addition to its characters, here and in later checks. */
const STEPS_OF_TEMPLATE = 20;
const HOW_TO_WRITE_BRACES = 'For two literal braces write {{"{{"}}.';

/** Splits a text into plain text and templates, in time linear in its length. */
export function parseTemplate(text: string, steps?: Steps): ParsedTemplate {
  steps?.spend(STEPS_OF_TEMPLATE + text.length / 8);
  const segments: Segment[] = [];
  const problems: string[] = [];
  let plain = "";
  let rest = 0;
  for (let at = text.indexOf(OPEN); at >= 0; at = text.indexOf(OPEN, rest)) {
    plain += text.slice(rest, at);
    const literal = match(LITERAL, text, at);
    const read = literal === null ? readTemplate(text, at) : null;
    if (literal !== null) {
      plain += OPEN;
      rest = at + literal[0].length;
    } else if (read !== null && typeof read !== "string") {
      if (plain !== "") segments.push({ type: "text", text: plain });
      plain = "";
      segments.push(read);
      steps?.spend(STEPS_OF_TEMPLATE + read.source.length / 2);
      rest = at + read.source.length;
    } else {
      const close = text.indexOf(CLOSE, at + OPEN.length);
      const end = close < 0 ? text.length : close + CLOSE.length;
      const source = text.slice(at, end);
      const why = close < 0 ? "has no closing }}" : "is not a template: write {{name.of.value}}";
      steps?.spend(STEPS_OF_TEMPLATE);
      problems.push(`${shorten(source, SHOWN_CHARS)} ${read ?? `${why}. ${HOW_TO_WRITE_BRACES}`}`);
      plain += source;
      rest = end;
    }
  }
  plain += text.slice(rest);
  if (plain !== "") segments.push({ type: "text", text: plain });
  return { segments, problems };
}

/** The templates of a text, in order. */
export function templatesOf({ segments }: ParsedTemplate): Template[] {
  return segments.filter((segment) => segment.type === "path");
}

/** The parts of a path such as `nodes.check.output.items.0` or `webhook["host name"]`; null when it is not a path. */
export function parsePath(text: string): readonly string[] | null {
  const trimmed = text.trim();
  const read = readPath(trimmed, 0);
  return read !== null && read.end === trimmed.length ? read.path : null;
}

/** The template of a text that is only a template; null for every other text. */
export function loneTemplate(text: string): Template | null {
  const read = text.startsWith(OPEN) ? readTemplate(text, 0) : null;
  return read !== null && typeof read !== "string" && read.source.length === text.length ? read : null;
}

/** The template of a condition's field, written with or without braces and filters; null when it is not a template. */
export function fieldTemplate(field: string): Template | null {
  return loneTemplate(field.includes("{{") ? field : `{{${field}}}`);
}

/** The template at a position; the end of a sentence for a wrong filter, null when it is not a template. */
function readTemplate(text: string, at: number): Template | string | null {
  const found = readPath(text, at + (match(START, text, at)?.[0].length ?? 0));
  if (found === null) return null;
  const { path } = found;
  let { end } = found;
  let problem: string | null = null;
  const filters: FilterCall[] = [];
  for (let filter = match(FILTER, text, end); filter !== null; filter = match(FILTER, text, end)) {
    const [whole, name = "", colon] = filter;
    end += whole.length;
    const args: JsonValue[] = [];
    for (let goesOn = colon !== undefined; goesOn;) {
      const argument = match(ARGUMENT, text, end);
      if (argument === null) return `has an argument of ${name} that is not a text in quotes or a number`;
      args.push(literalOf(argument[1] ?? ""));
      end += argument[0].length;
      goesOn = argument[2] !== undefined;
    }
    filters.push({ name, args });
    problem ??= filters.length > FILTERS_MAX ? `has more than ${FILTERS_MAX} filters` : filterProblem({ name, args });
  }
  const close = match(END, text, end);
  if (close === null || problem !== null) return close === null ? null : problem;
  return { type: "path", path, filters, source: text.slice(at, end + close[0].length), at };
}

function readPath(text: string, from: number): { path: readonly string[]; end: number } | null {
  const path: string[] = [];
  let end = from;
  for (let found = match(NAME, text, from); found !== null; found = match(NEXT_NAME, text, end)) {
    const [whole, name = whole, quoted] = found;
    path.push(quoted === undefined ? name : String(literalOf(quoted)));
    end += whole.length;
  }
  return path.length === 0 || text[end] === "." || end - from > PATH_MAX_CHARS ? null : { path, end };
}

/** The value of a literal that the patterns above matched. A text in double quotes may have JSON's escapes. */
function literalOf(written: string): JsonValue {
  if (written.startsWith("'")) return written.slice(1, -1);
  try {
    return JSON.parse(written);
  } catch {
    return written.slice(1, -1);
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
