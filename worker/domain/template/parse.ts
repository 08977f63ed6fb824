import type { JsonValue } from "../../../schema/contract/json.ts";

export type Segment =
  | { readonly type: "text"; readonly text: string }
  /** `source` is the template as it was written, braces included. */
  | { readonly type: "path"; readonly path: readonly string[]; readonly source: string };

export interface ParsedTemplate {
  readonly segments: readonly Segment[];
  /** What is wrong with it, in words; what is malformed stands in the segments as plain text. */
  readonly problems: readonly string[];
}

const OPEN = "{{";
const CLOSE = "}}";
/** Two braces between quotes: the way to write them literally. */
const LITERAL = /^\s*(?:"\{\{"|'\{\{')\s*$/u;
// Names are what callers send as keys, so nearly everything may stand in one. Quotes and braces tell that something
// else was meant: the templates of docker and kubectl, a dictionary of Python; blanks, bars and brackets, that filters,
// calls and indexes of other languages were.
// oxlint-disable-next-line no-control-regex
const PART = /^[^\s.{}"'`|[\]()\u0000-\u001f\u007f]+$/u;
const PATH_MAX_CHARS = 512;
const HOW_TO_WRITE_BRACES = 'For two braces that are no template write {{"{{"}}.';

/** Splits a text into what stays and what is replaced. */
export function parseTemplate(text: string): ParsedTemplate {
  const segments: Segment[] = [];
  const problems: string[] = [];
  let rest = 0;
  let plain = "";
  const flush = () => {
    if (plain !== "") segments.push({ type: "text", text: plain });
    plain = "";
  };
  for (;;) {
    const open = text.indexOf(OPEN, rest);
    if (open < 0) break;
    plain += text.slice(rest, open);
    const close = text.indexOf(CLOSE, open + OPEN.length);
    if (close < 0) {
      problems.push(`${quote(text.slice(open))} has no closing }}. ${HOW_TO_WRITE_BRACES}`);
      rest = open;
      break;
    }
    const source = text.slice(open, close + CLOSE.length);
    const inner = source.slice(OPEN.length, -CLOSE.length);
    const path = LITERAL.test(inner) ? null : parsePath(inner);
    rest = close + CLOSE.length;
    if (LITERAL.test(inner)) plain += OPEN;
    else if (path === null) {
      plain += source;
      problems.push(`${quote(source)} is not a template: ${howToWrite(inner)}. ${HOW_TO_WRITE_BRACES}`);
    } else {
      flush();
      segments.push({ type: "path", path, source });
    }
  }
  plain += text.slice(rest);
  flush();
  return { segments, problems };
}

/** The parts of a path such as `nodes.check.output.items.0`; null when it is none. */
export function parsePath(text: string): readonly string[] | null {
  const trimmed = text.trim();
  if (trimmed.length > PATH_MAX_CHARS) return null;
  const parts = trimmed.split(".");
  return parts.every((part) => PART.test(part)) ? parts : null;
}

/** The path of a text that is one template and nothing else; null for every other text. */
export function loneTemplate(text: string): readonly string[] | null {
  if (!text.startsWith(OPEN) || !text.endsWith(CLOSE)) return null;
  const [first, ...others] = parseTemplate(text).segments;
  return first?.type === "path" && others.length === 0 ? first.path : null;
}

/** Whether a template stands anywhere in the value. */
export function hasTemplate(value: JsonValue | undefined): boolean {
  if (typeof value === "string") {
    return value.includes(OPEN) && parseTemplate(value).segments.some((segment) => segment.type === "path");
  }
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((member) => hasTemplate(member));
}

export interface FoundText {
  /** Where in the value, joined by dots: `blocks.0.text`; empty for the value itself. */
  readonly at: string;
  readonly parsed: ParsedTemplate;
}

/** Every text of a value that has braces in it, with its place. */
export function templatesIn(value: JsonValue | undefined, at = ""): FoundText[] {
  if (typeof value === "string") return value.includes(OPEN) ? [{ at, parsed: parseTemplate(value) }] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => templatesIn(member, at === "" ? key : `${at}.${key}`));
}

/** What somebody who knows the templates of other languages may have meant. */
function howToWrite(inner: string): string {
  const [before = "", ...filters] = inner.split("|");
  const dotted = before.replaceAll(/\[\s*["']?([^\]"']*)["']?\s*\]/gu, ".$1").trim();
  if (dotted === inner.trim() || parsePath(dotted) === null) return "write {{name.of.value}}";
  const why = filters.length > 0 ? "there are no filters" : "an index stands behind a dot";
  return `write {{${dotted}}}; ${why}`;
}

function quote(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
