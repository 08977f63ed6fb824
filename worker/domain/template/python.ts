import { TEMPLATE_MARK, Unclear, lineAt, refuseAll, refused } from "./place.ts";
import type { Located, Place } from "./place.ts";
import { PythonCalls } from "./python-calls.ts";

const BEFORE = '__import__("os").environ["';
const AFTER = '"]';
const BARE = { type: "reference", before: BEFORE, after: AFTER } as const satisfies Place;
/** The text ends, the value is added, and the text goes on; the whole of it gets brackets. */
const IN_TEXT = { type: "reference", before: `" + ${BEFORE}`, after: `${AFTER} + "` } as const satisfies Place;

const STRING_START = /((?:[bft]r?|r[bft]?|u)?)("""|'''|"|')/iuy;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
/** After these a name stands, not an expression. */
const BEFORE_NAME = new Set(["import", "from", "as", "def", "class", "global", "nonlocal", "del", "lambda", "for"]);

interface Token {
  readonly type: "name" | "string" | "template" | "operator";
  readonly text: string;
  readonly end: number;
}

/**
 * Where the templates of a Python script stand. Bare, a template is an expression whose value is a text; inside plain
 * double quotes the text is put together with it. Refused are other strings (f"…", '…', """…""": their rules for quotes
 * differ), and the arguments of calls that are known to run what they are given.
 */
export function locateInPython(source: string, count: number): Located {
  const reader = new PythonReader(source);
  try {
    reader.read();
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    const line = lineAt(source, error.at);
    return refuseAll(
      count,
      `the script cannot be followed from line ${line} on (${error.message}). Write that part in a simpler way`,
    );
  }
  return { places: reader.places, inserts: reader.inserts };
}

class PythonReader {
  readonly places: Place[] = [];
  readonly inserts: { at: number; text: string }[] = [];
  readonly #source: string;
  readonly #calls = new PythonCalls();
  #at = 0;
  #last: Token | null = null;
  /** Templates inside the string read last: texts side by side are one text, which brackets would break. */
  #inLastString: readonly number[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  read(): void {
    while (this.#at < this.#source.length) this.#readToken();
    this.#calls.finish(this.places);
  }

  #readToken(): void {
    const char = this.#source[this.#at] ?? "";
    const string = this.#match(STRING_START);
    if (char === "#") this.#readComment();
    else if (char === "\n" && this.#calls.depth === 0) {
      this.#at += 1;
      this.#last = null;
    } else if (/\s/u.test(char)) this.#at += 1;
    else if (char === "\\") this.#readContinuation();
    else if (char === TEMPLATE_MARK) this.#readBare();
    else if (string !== null) this.#readString(string[1] ?? "", string[2] ?? "");
    else {
      const name = this.#match(NAME)?.[0];
      if (name !== undefined) {
        this.#calls.name(name);
        this.#push("name", name);
      } else {
        this.#calls.operator(char, this.#last?.type === "name" ? this.#last.text : null);
        this.#push("operator", char);
      }
    }
  }

  #readBare(): void {
    const { type, text, end } = this.#last ?? { type: "operator", text: "", end: -1 };
    const next = this.#source.slice(this.#at + 1);
    const index = this.places.length;
    this.#calls.template(index, "bare");
    const attached = end === this.#at && (type !== "operator" || /[)\]}.@\p{N}]/u.test(text));
    if (attached || /^[\p{L}\p{N}_"']/u.test(next))
      this.places.push(refused("it touches other text: put an operator or a blank between them"));
    else if (/^\s*\(/u.test(next))
      this.places.push(refused("here it would name the function that is called: write the name itself"));
    else if (type === "name" && BEFORE_NAME.has(text))
      this.places.push(refused(`after ${text} stands a name, and a value is none: write the name itself`));
    else this.places.push(BARE);
    this.#push("template", TEMPLATE_MARK);
  }

  #readContinuation(): void {
    if (!/^\\\r?\n/u.test(this.#source.slice(this.#at, this.#at + 3)))
      throw new Unclear("a backslash stands outside a string", this.#at);
    this.#at = this.#source.indexOf("\n", this.#at) + 1;
  }

  #readComment(): void {
    const newline = this.#source.indexOf("\n", this.#at);
    const end = newline < 0 ? this.#source.length : newline;
    this.#placeAll(this.#at, end, { type: "comment" });
    this.#at = end;
  }

  #readString(prefix: string, quotes: string): void {
    const start = this.#at;
    this.#at += prefix.length + quotes.length;
    const contentStart = this.#at;
    while (!this.#source.startsWith(quotes, this.#at)) {
      const char = this.#source[this.#at];
      if (char === undefined || (char === "\n" && quotes.length === 1))
        throw new Unclear("a string is not closed", start);
      this.#at += char === "\\" ? 2 : 1;
    }
    const end = this.#at;
    this.#at += quotes.length;
    const content = this.#source.slice(contentStart, end);
    // Whether quotes may stand inside the braces of an f-string depends on Python's version.
    if (/[ft]/iu.test(prefix) && openBraces(content) !== 0)
      throw new Unclear("a quote stands inside the braces of an f-string", start);
    const first = this.places.length;
    this.#placeInString(prefix, quotes, contentStart, end);
    if (this.#last?.type === "string") this.#refuseSideBySide(this.#inLastString[0] ?? first);
    this.#inLastString = this.places.flatMap((_, index) => (index < first ? [] : [index]));
    if (this.#inLastString.some((index) => this.places[index] === IN_TEXT)) {
      this.inserts.push({ at: start, text: "(" }, { at: this.#at, text: ")" });
    }
    this.#calls.string(content);
    this.#last = { type: "string", text: content, end: this.#at };
    this.#refuseFormatting();
  }

  #placeInString(prefix: string, quotes: string, from: number, to: number): void {
    for (
      let at = this.#source.indexOf(TEMPLATE_MARK, from);
      at >= 0 && at < to;
      at = this.#source.indexOf(TEMPLATE_MARK, at + 1)
    ) {
      this.#calls.template(this.places.length, "text");
      const escaped = backslashesBefore(this.#source, at) % 2 === 1;
      if (prefix !== "") {
        this.places.push(
          refused(
            `in a string with the prefix ${prefix} it cannot be replaced: use plain double quotes, or write it bare: "…" + {{…}}`,
          ),
        );
      } else if (quotes !== '"') {
        this.places.push(
          refused(`between ${quotes} it cannot be replaced: use plain double quotes, or write it bare: "…" + {{…}}`),
        );
      } else if (escaped) this.places.push(refused("a backslash stands right before it: remove the backslash"));
      else this.places.push(IN_TEXT);
    }
  }

  /** Two strings side by side are one: with an expression in one of them they would be a call. */
  #refuseSideBySide(from: number): void {
    const reason = "it stands in one of several strings that are written side by side: join them with +";
    for (let index = from; index < this.places.length; index += 1) {
      if (this.places[index] === IN_TEXT) this.places[index] = refused(reason);
    }
  }

  #refuseFormatting(): void {
    if (!/^\s*(?:%|\.\s*(?:format|format_map)\b)/u.test(this.#source.slice(this.#at))) return;
    for (const index of this.#inLastString) {
      if (this.places[index] === IN_TEXT) {
        this.places[index] = refused(
          "this text is a format, and the value would be read as part of it: pass it as an argument of the format",
        );
      }
    }
  }

  #placeAll(from: number, to: number, place: Place): void {
    for (const char of this.#source.slice(from, to)) if (char === TEMPLATE_MARK) this.places.push(place);
  }

  #push(type: Token["type"], text: string): void {
    this.#at += text.length;
    this.#last = { type, text, end: this.#at };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }
}

function openBraces(content: string): number {
  let open = 0;
  for (const char of content.replaceAll(/\{\{|\}\}/gu, "")) {
    if (char === "{") open += 1;
    if (char === "}") open -= 1;
  }
  return open;
}

function backslashesBefore(source: string, at: number): number {
  let count = 0;
  while (source[at - 1 - count] === "\\") count += 1;
  return count;
}
