import { MARK, behind, holdersOf, lineEnd } from "./marks.ts";
import type { Token } from "./marks.ts";
import type { Steps } from "../steps.ts";

export interface SqlPlaces {
  /** The reason why each template cannot be where it is, in order; null where a value can be bound. */
  readonly reasons: readonly (string | null)[];
  /** Every `:name` outside of quotes and comments. */
  readonly names: readonly { readonly name: string; readonly start: number; readonly end: number }[];
  /** Problems of the whole statement. */
  readonly problems: readonly string[];
}

const QUOTED =
  "is inside quotes, where nothing is bound. Leave out the quotes; for a part of a text write concat('%', {{…}}, '%').";
const COMMENT = "is inside a comment, where nothing is bound. Remove it.";
const TOUCHES = "touches other text, and only a whole value is bound. Write names of tables and columns out.";
const UNCLEAR = "is in a statement with a quote or a comment without its end. Close it.";
const WORD_PART = /[\p{L}\p{N}_$@#.\0]/u;
const NAME = /:([A-Za-z_][A-Za-z0-9_]{0,62})(?![A-Za-z0-9_])/uy;
const DOLLAR_TAG = /\$(?:[A-Za-z_][A-Za-z0-9_]{0,62})?\$/uy;

/** The places of values in an SQL statement. The lexer knows the quotes and comments that the databases share. */
export function sqlPlaces(source: string, parameters: ReadonlySet<string>, steps?: Steps): SqlPlaces {
  steps?.spend(source.length);
  const names: { name: string; start: number; end: number }[] = [];
  const problems = new Set<string>();
  const holders = holdersOf(source, UNCLEAR, (at) => {
    const token = tokenAt(source, at);
    if (token.name !== undefined) names.push({ name: token.name, start: at, end: token.end });
    if (token.reason === QUOTED && source[token.end - 2] === "\\") {
      problems.add("has a backslash before a quote, which databases read differently: write the quote twice instead");
    }
    return token;
  });
  const reasons = holders.map(({ reason }) => reason);
  if (reasons.length + parameters.size === 0) return { reasons, names, problems: [] };
  if (/bellhop_(?:value|parameter)_/iu.test(source)) {
    problems.add("has a name with bellhop_value_ or bellhop_parameter_, which are reserved: choose another name");
  }
  const used = new Set(names.map(({ name }) => name));
  for (const name of used) {
    if (!parameters.has(name)) problems.add(`has :${name}, which is not one of parameters: add it there`);
  }
  for (const name of parameters) {
    if (!used.has(name))
      problems.add(`has no :${name} outside quotes, and parameters gives it a value: use it, or remove it`);
  }
  return { reasons, names, problems: [...problems] };
}

function tokenAt(source: string, at: number): Token & { name?: string } {
  const char = source[at] ?? "";
  const next = source[at + 1] ?? "";
  if (char === "'" || char === '"' || char === "`") return { end: behind(source, char, at + 1), reason: QUOTED };
  if (char === "-" && next === "-") return { end: lineEnd(source, at), reason: COMMENT };
  if (char === "/" && next === "*") return { end: behind(source, "*/", at + 2), reason: COMMENT };
  if (char === "$") {
    DOLLAR_TAG.lastIndex = at;
    const tag = DOLLAR_TAG.exec(source)?.[0];
    if (tag !== undefined) return { end: behind(source, tag, at + tag.length), reason: QUOTED };
  }
  // `a::text` is a cast, and `a[1:n]` a slice.
  if (char === ":" && !/[\w:\]]/u.test(source[at - 1] ?? " ")) {
    NAME.lastIndex = at;
    const name = NAME.exec(source)?.[1];
    if (name !== undefined) return { end: at + 1 + name.length, reason: null, name };
  }
  const touches = char === MARK && (WORD_PART.test(source[at - 1] ?? " ") || WORD_PART.test(next));
  return { end: at + 1, reason: touches ? TOUCHES : null };
}
