import { TEMPLATE_MARK, Unclear, lineAt, refuseAll, refused } from "./place.ts";
import type { Located, Place } from "./place.ts";
import { PythonCalls } from "./python-calls.ts";
import { importsOf } from "./python-imports.ts";
import { PYTHON_REFERENCE, placesInString } from "./python-strings.ts";

const BARE = { type: "reference", ...PYTHON_REFERENCE } as const satisfies Place;

const STRING_START = /((?:[bft]r?|r[bft]?|u)?)("""|'''|"|')/iuy;
/** As Python reads it: of what is not ASCII it takes everything, and puts it into its normal form afterwards. */
const NAME = /[A-Za-z_\u{80}-\u{10ffff}][A-Za-z0-9_\u{80}-\u{10ffff}]*/uy;
/** After these words an expression may begin; after every other name it cannot. */
const BEFORE_EXPRESSION = new Set(
  "return yield in is not and or if else elif while assert raise await match".split(" "),
);
/** After these a name stands, not an expression. */
const BEFORE_NAME = new Set(["import", "from", "as", "def", "class", "global", "nonlocal", "del", "lambda", "for"]);

/** Python itself reads no more open brackets. */
const MAX_DEPTH = 200;
/** Code in texts in code. */
const MAX_NESTED = 5;

interface Token {
  readonly type: "name" | "string" | "template" | "operator";
  readonly text: string;
  readonly end: number;
}

/**
 * Where the templates of a Python script stand. Bare, a template is an expression whose value is a text; inside a plain or
 * raw string the text is put together with it. Refused are the strings with rules of their own (f"…", b"…"), and the
 * arguments of calls that are known to run what they are given. A script that gives such a call something put together
 * while it runs takes no templates at all: nobody could say whether a value gets there.
 */
export function locateInPython(source: string, count: number, nested = 0): Located {
  const reader = new PythonReader(source, nested);
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
  readonly #calls: PythonCalls;
  #at = 0;
  #last: Token | null = null;
  /** The first word of the statement. */
  #statement = "";
  /** The name read last with the names before its dots: `subprocess.run`. */
  #dotted = "";
  /** Templates inside the string read last: texts side by side are one text, which brackets would break. */
  #inLastString: readonly number[] = [];

  constructor(source: string, nested: number) {
    this.#source = source;
    this.#calls = new PythonCalls(importsOf(source), (code) => mayRunValue(code, nested + 1));
  }

  read(): void {
    while (this.#at < this.#source.length) this.#readToken();
    this.#calls.finish(this.places);
  }

  #readToken(): void {
    const char = this.#source[this.#at] ?? "";
    const string = this.#match(STRING_START);
    if (char === "#") this.#readComment();
    else if ((char === "\n" || char === ";") && this.#calls.depth === 0) {
      this.#at += 1;
      this.#last = null;
      this.#calls.endOfStatement();
    } else if (/\s/u.test(char)) this.#at += 1;
    else if (char === "\\") this.#readContinuation();
    else if (char === TEMPLATE_MARK) this.#readBare();
    else if (string !== null) this.#readString(string[1] ?? "", string[2] ?? "");
    else {
      const name = this.#match(NAME)?.[0];
      if (name !== undefined) this.#readName(name);
      else {
        if (this.#calls.depth > MAX_DEPTH) throw new Unclear("its brackets are nested too deep", this.#at);
        this.#calls.operator(char, this.#last?.type === "name" ? this.#dotted : null);
        this.#push("operator", char);
      }
    }
  }

  #readName(written: string): void {
    const name = written.normalize("NFKC");
    this.#dotted = this.#last?.text === "." ? `${this.#dotted}.${name}` : name;
    const end = this.#at + written.length;
    this.#calls.name(name, this.#dotted, this.#source.slice(end, end + 20));
    this.#push("name", written);
  }

  #readBare(): void {
    const { type, text, end } = this.#last ?? { type: "operator", text: "", end: -1 };
    const next = this.#source.slice(this.#at + 1, this.#at + 1_000);
    const blanks = this.#calls.depth > 0 ? /^\s*/u : /^[ \t]*/u;
    const following = next.replace(blanks, "");
    const index = this.places.length;
    this.#calls.template(index, "bare");
    const attached = end === this.#at && (type !== "operator" || /[)\]}.@\p{N}]/u.test(text));
    if (attached || /^[\p{L}\p{N}_"'\0]/u.test(next))
      this.places.push(refused("it touches other text: put an operator or a blank between them"));
    else if (following.startsWith("("))
      this.places.push(refused("here it would name the function that is called: write the name itself"));
    else if (type === "name" && BEFORE_NAME.has(text) && this.#statement !== "yield")
      this.places.push(refused(`after ${text} stands a name, and a value is none: write the name itself`));
    else if (/^(?:[-+*/%&|^@:]|\/\/|\*\*|<<|>>)?=(?!=)/u.test(following))
      this.places.push(refused("nothing can be assigned to a value: write a name before the ="));
    else if (this.#statement === "case") this.places.push(refused(IN_PATTERN));
    else if (
      (type === "name" && !BEFORE_EXPRESSION.has(text)) ||
      type === "string" ||
      type === "template" ||
      /^(?:["'\0]|(?!(?:if|else|in|is|not|and|or|for|as|from|async)\b)[\p{L}\p{N}_])/u.test(following)
    ) {
      this.places.push(refused("an operator or a comma is missing beside it"));
    } else this.places.push(BARE);
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
    for (const char of this.#source.slice(this.#at, end))
      if (char === TEMPLATE_MARK) this.places.push({ type: "comment" });
    this.#at = end;
  }

  #readString(prefix: string, quotes: string): void {
    const start = this.#at;
    const from = start + prefix.length + quotes.length;
    const to = this.#endOfString(from, quotes);
    this.#at = to + quotes.length;
    const content = this.#source.slice(from, to);
    const hasFields = /[ft]/iu.test(prefix) && content.replaceAll(/\{\{|\}\}/gu, "").includes("{");
    // Whether quotes may stand inside the braces of an f-string depends on Python's version.
    if (/[ft]/iu.test(prefix) && openBraces(content) !== 0)
      throw new Unclear("a quote stands inside the braces of an f-string", start);
    const first = this.places.length;
    const { places, escapes } = placesInString(this.#source, { prefix, quotes, from, to });
    places.forEach((_, index) => this.#calls.template(first + index, "text"));
    this.places.push(...(this.#statement === "case" ? places.map(() => refused(IN_PATTERN)) : places));
    if (this.#last?.type === "string") this.#refuseSideBySide(this.#inLastString[0] ?? first);
    this.#inLastString = places.map((_, index) => first + index);
    if (this.#inLastString.some((index) => this.places[index]?.type === "reference")) {
      this.inserts.push({ at: start, text: "(" }, ...escapes.map((at) => ({ at, text: "\\" })), {
        at: this.#at,
        text: ")",
      });
    }
    this.#calls.string(content, hasFields ? fieldsOf(content) : null);
    if (this.#last === null) this.#statement = "";
    this.#last = { type: "string", text: content, end: this.#at };
    if (/^\s*(?:%|\.\s*(?:format|format_map)\b)/u.test(this.#source.slice(this.#at, this.#at + 200))) {
      this.#refuseInLastString(
        "this text is a format, and the value would be read as part of it: pass it as an argument of the format",
      );
    }
  }

  #endOfString(from: number, quotes: string): number {
    let at = from;
    while (!this.#source.startsWith(quotes, at)) {
      const char = this.#source[at];
      if (char === undefined || (char === "\n" && quotes.length === 1))
        throw new Unclear("a string is not closed", from - quotes.length);
      at += char === "\\" ? 2 : 1;
    }
    return at;
  }

  /** Two strings side by side are one: with an expression in one of them they would be a call. */
  #refuseSideBySide(from: number): void {
    const reason = "it stands in one of several strings that are written side by side: join them with +";
    for (let index = from; index < this.places.length; index += 1) {
      if (this.places[index]?.type === "reference") this.places[index] = refused(reason);
    }
  }

  #refuseInLastString(reason: string): void {
    for (const index of this.#inLastString) {
      if (this.places[index]?.type === "reference") this.places[index] = refused(reason);
    }
  }

  #push(type: Token["type"], text: string): void {
    if (this.#last === null) this.#statement = text;
    this.#at += text.length;
    this.#last = { type, text, end: this.#at };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source);
  }
}

const IN_PATTERN = "case takes a pattern, and a value is none: compare it with if {{…}} == …";

/** Whether code that finds a value in a variable may run it. */
function mayRunValue(code: string, nested: number): boolean {
  if (nested > MAX_NESTED) return true;
  return locateInPython(`x = ${TEMPLATE_MARK}\n${code}`, 1, nested).places[0]?.type !== "reference";
}

/** What stands in the braces of an f-string, one a line. */
function fieldsOf(content: string): string {
  let depth = 0;
  let fields = "";
  for (const char of content.replaceAll(/\{\{|\}\}/gu, "")) {
    if (char === "}") depth -= 1;
    if (depth > 0) fields += char;
    else if (char === "}") fields += "\n";
    if (char === "{") depth += 1;
  }
  return fields;
}

function openBraces(content: string): number {
  let open = 0;
  for (const char of content.replaceAll(/\{\{|\}\}/gu, "")) {
    if (char === "{") open += 1;
    if (char === "}") open -= 1;
  }
  return open;
}
