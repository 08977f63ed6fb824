import { MARK } from "./marks.ts";
import type { Steps } from "./steps.ts";

export interface SqlPlaces {
  /** Why each template cannot be where it is, in order; null where a value can be bound. */
  readonly templates: readonly (string | null)[];
  /** Every `:name` outside of quotes and comments. */
  readonly names: readonly { readonly name: string; readonly start: number; readonly end: number }[];
  /** What is wrong with the statement as a whole. */
  readonly problems: readonly string[];
}

const QUOTED =
  "is inside quotes, where nothing is bound. Leave out the quotes; for a part of a text write concat('%', {{…}}, '%').";
const COMMENT = "is inside a comment, where nothing is bound. Take it out.";
const TOUCHES = "touches other text, and only a whole value is bound. Write names of tables and columns out.";
const WORD_PART = /[\p{L}\p{N}_$@#.\0]/u;
const NAME = /:([A-Za-z_][A-Za-z0-9_]{0,62})(?![A-Za-z0-9_])/uy;
const DOLLAR_TAG = /\$(?:[A-Za-z_][A-Za-z0-9_]{0,62})?\$/uy;

/** Where the values of an SQL statement go. Quotes and comments are those that the databases share. */
export function sqlPlaces(source: string, parameters: ReadonlySet<string>, steps?: Steps): SqlPlaces {
  steps?.spend(source.length);
  const templates: (string | null)[] = [];
  const names: { name: string; start: number; end: number }[] = [];
  const problems = new Set<string>();
  let mark = source.indexOf(MARK);
  for (let at = 0; at < source.length;) {
    const token = tokenAt(source, at);
    const end = token.end < 0 ? source.length : token.end;
    if (token.end < 0) problems.add("has a quote or a comment without its end: close it");
    if (token.isEscaped === true)
      problems.add("has a backslash before a quote, about which databases differ: write the quote twice instead");
    if (token.name !== undefined) names.push({ name: token.name, start: at, end });
    for (; mark >= 0 && mark < end; mark = source.indexOf(MARK, mark + 1)) {
      const touches = WORD_PART.test(source[mark - 1] ?? " ") || WORD_PART.test(source[mark + 1] ?? " ");
      templates.push(token.reason ?? (touches ? TOUCHES : null));
    }
    at = end;
  }
  if (templates.length + parameters.size === 0) return { templates, names, problems: [] };
  if (/bellhop_(?:value|parameter)_/iu.test(source)) {
    problems.add(
      "has a name with bellhop_value_ or bellhop_parameter_, as bound values are called: choose another name",
    );
  }
  const used = new Set(names.map(({ name }) => name));
  for (const name of used)
    if (!parameters.has(name)) problems.add(`has :${name}, which is not one of parameters: add it there`);
  for (const name of parameters)
    if (!used.has(name))
      problems.add(`has no :${name} outside quotes, and parameters gives it a value: use it, or remove it`);
  return { templates, names, problems: [...problems] };
}

interface Token {
  readonly end: number;
  readonly reason?: string;
  readonly name?: string;
  readonly isEscaped?: boolean;
}

function tokenAt(source: string, at: number): Token {
  const char = source[at] ?? "";
  if (char === "'" || char === '"' || char === "`") {
    const end = behind(source, char, at + 1);
    return { end, reason: QUOTED, isEscaped: char === "'" && source[end - 2] === "\\" };
  }
  if (source.startsWith("--", at)) return { end: behind(source, "\n", at), reason: COMMENT };
  if (source.startsWith("/*", at)) return { end: behind(source, "*/", at + 2), reason: COMMENT };
  DOLLAR_TAG.lastIndex = at;
  const tag = DOLLAR_TAG.exec(source)?.[0];
  if (tag !== undefined) return { end: behind(source, tag, at + tag.length), reason: QUOTED };
  NAME.lastIndex = at;
  // `a::text` is a cast, and `a[1:n]` a slice.
  const name = /[\w:\]]/u.test(source[at - 1] ?? " ") ? undefined : NAME.exec(source)?.[1];
  return name === undefined ? { end: at + 1 } : { end: at + 1 + name.length, name };
}

function behind(source: string, text: string, from: number): number {
  const found = source.indexOf(text, from);
  if (found < 0) return text === "\n" ? source.length : -1;
  return found + text.length;
}
