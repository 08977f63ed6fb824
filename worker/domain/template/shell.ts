import { MARK } from "./marks.ts";
import type { Replaceable } from "./takes-variable.ts";
import type { Steps } from "../steps.ts";

/** How a shell could read the word at a template, judged by its line. */
export interface ShellPlace {
  /** The reason why the value must be a number or a choice; null where any plain word may be. */
  readonly pin: string | null;
  /** Whether the word would name the program that runs. */
  readonly startsCommand: boolean;
  /** What `"$NAME"` can replace without a change of meaning. */
  readonly variable: Replaceable | null;
}

const COMPARES = /\s-(?:eq|ne|lt|le|gt|ge)(?![\w-])/u;
/** Excludes `echo -ne` and `ls -lt`. */
const TESTS = /\[|(?<!\w)test\s/u;
const ARITHMETIC = /\(\(|\$\[|(?<![\w-])let\s/u;
/** Every assignment to such a variable is arithmetic, on any line. */
const DECLARES_INTEGER = /(?<![\w-])(?:declare|typeset|local)(?:\s+-[A-Za-z]+)*?\s+-[A-Za-z]*i/u;
/** Other code that makes bash evaluate a name: a subscript, a slice, and variables that are always integers. */
const EVALUATES =
  /\$\{[!#]?\w+\[(?![@*]\]|\d+\])|[\w\s(]\[(?!\d+\])[^\]\s]{1,64}\]\+?=|(?:(?<![\w-])unset|\s-v)\s+["']?\w+\[|\$\{[\w@*]+:(?![-=?+])[^}\n]{0,64}[A-Za-z_$]|(?<!\w)(?:OPTIND|S?RANDOM|HISTCMD)=/u;
const HERE_DOCUMENT = /(?<!<)<<-?\s*["'\\]?([A-Za-z_]\w*)/u;
const NO_VARIABLE =
  /`|\$[('"]|<<|\s-(?:[cv]|(?:[A-Za-z]{1,2}c|e)(?!\w))|ssh|\(\(|\[|(?<!\w)(?:let|trap|unset|printf|test|source|env|exec|export|declare|typeset|local|readonly|read|readarray|mapfile|getopts|wait|alias|command|builtin)(?!\w)|\.\s/u;
/** Behind such a word the next one names the program, also in quotes. */
const BEFORE_PROGRAM = new RegExp(
  String.raw`(?:^|[\s;&|(])(?:then|do|else|elif|if|while|until|time|!|\{|\w+=[^\s;&|(]*|[^\s;&|()]*\))\s+["']?${MARK}`,
  "u",
);
/** A script that may run a text as code, on any line. */
const RUNS_TEXT = /(?<![\w-])eval(?!\w)|sh\s+-[A-Za-z]{0,2}c(?!\w)|ssh\s/u;

/** The cost of the patterns above, in addition to the characters. */
const STEPS_OF_LINE = 5;
const STEPS_OF_BRACKET = 3;
/** A comment is read as a quote that ends with the line. */
const COMMENT = "\n";

/**
 * The place of each template in a shell script, in order. Reads characters and lines, not programs. `hasEnv`: variables
 * hold any text, and a word can reach them over several lines (`n={{x}}`, then `((n))`).
 */
export function shellPlaces(source: string, hasEnv: boolean, steps?: Steps): ShellPlace[] {
  steps?.spend(source.length + STEPS_OF_LINE * count(source, "\n") + STEPS_OF_BRACKET * count(source, "["));
  if (!source.includes(MARK)) return [];
  const evaluates = evaluatesNames(source);
  const everywhere = DECLARES_INTEGER.test(source)
    ? "in a script that declares an integer variable"
    : hasEnv && evaluates
      ? "in a script with arithmetic and values in env"
      : null;
  const places: ShellPlace[] = [];
  let openArithmetic = 0;
  let quote = "";
  let hereDocument: string | null = null;
  // Whether a variable at the top level of the line stays data.
  let isSimple = !evaluates && !RUNS_TEXT.test(source);
  for (let start = 0; start < source.length;) {
    const end = lineEnd(source, start);
    const line = source.slice(start, end);
    const isArithmetic = openArithmetic > 0 || ARITHMETIC.test(line) || (TESTS.test(line) && COMPARES.test(line));
    const pinned = everywhere ?? (isArithmetic ? "on a line with arithmetic" : null);
    const read = readLine(line, pinned, hereDocument === null ? quote : "<<");
    const takesVariable = isSimple && !NO_VARIABLE.test(line) && !BEFORE_PROGRAM.test(line);
    places.push(...read.places.map((place) => ({ ...place, variable: takesVariable ? place.variable : null })));
    openArithmetic = Math.max(0, openArithmetic + count(line, "((") - count(line, "))"));
    if (hereDocument === null) {
      quote = read.quote;
      hereDocument = isArithmetic ? null : (HERE_DOCUMENT.exec(line)?.[1] ?? null);
    } else if (line.trim() === hereDocument) hereDocument = null;
    // After an open bracket or a here-document, the state of quotes is uncertain.
    isSimple &&= quote === "" && !read.isOpen && hereDocument === null;
    start = end;
  }
  return places;
}

/** Whether a shell would evaluate the content of a variable on this line. */
export function runsVariables(line: string): boolean {
  return ARITHMETIC.test(line) || (line.includes("[[") && COMPARES.test(line));
}

function evaluatesNames(source: string): boolean {
  return ARITHMETIC.test(source) || EVALUATES.test(source) || (/\[\[\s/u.test(source) && COMPARES.test(source));
}

/** `open`: the quote that is open at the beginning of the line, or `<<` in a here-document. */
function readLine(line: string, pinned: string | null, open: string) {
  const places: ShellPlace[] = [];
  let quote = open;
  let expansions = 0;
  let subscripts = 0;
  let brackets = 0;
  let startsCommand = quote === "";
  // Whether the quoted word would name the program that runs.
  let quotesCommand = true;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    const before = line[at - 1] ?? "";
    const next = line[at + 1] ?? "";
    if (char === MARK) {
      const inside = expansions > 0 ? "inside ${…}" : subscripts > 0 || before === "[" ? "behind [" : null;
      places.push({
        pin: pinned ?? inside,
        startsCommand: startsCommand && quote === "",
        variable: variableAt(line, at, quote, quotesCommand),
      });
    } else if (char === "\\" && quote !== "'" && quote !== COMMENT) {
      if (next !== MARK) at += 1;
      continue;
    } else if (char === quote) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) {
      quote = char;
      quotesCommand = startsCommand;
    } else if (quote === "" && char === "#" && /^[\s;&|(]?$/u.test(before)) quote = COMMENT;
    if (char === "$" && next === "{") expansions += 1;
    else if (char === "}" && expansions > 0) expansions -= 1;
    else if (char === "[" && isName(line, at)) subscripts += 1;
    else if (char === "]" && subscripts > 0) subscripts -= 1;
    if (quote === "") brackets += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (!" \t\r\n".includes(char)) startsCommand = quote === "" && ";&|(".includes(char);
  }
  return { places, quote, isOpen: brackets > 0 || count(line, "`") % 2 === 1 };
}

/** A whole word, or a whole string that is a word. */
function variableAt(line: string, at: number, quote: string, quotesCommand: boolean): Replaceable | null {
  const isBetween = (start: number, end: number) => /^\s?$/u.test(line[start] ?? "") && /^\s?$/u.test(line[end] ?? "");
  if (quote === "") return isBetween(at - 1, at + 1) ? "word" : null;
  const isString = line[at - 1] === quote && line[at + 1] === quote && !quotesCommand;
  return isString && isBetween(at - 2, at + 2) ? "string" : null;
}

/** Whether a name ends here, rather than a number such as a terminal colour's, `\033[31m`. */
function isName(line: string, end: number): boolean {
  let start = end;
  while (/\w/u.test(line[start - 1] ?? "")) start -= 1;
  return /[A-Za-z_]/u.test(line[start] ?? "") && line[start - 1] !== "\\";
}

/** The end of a line, with the lines that continue it after a backslash. */
function lineEnd(source: string, start: number): number {
  for (let at = source.indexOf("\n", start); at >= 0; at = source.indexOf("\n", at + 1)) {
    if (source[at - 1] !== "\\") return at + 1;
  }
  return source.length;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
