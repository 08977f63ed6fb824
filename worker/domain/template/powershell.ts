import { TEMPLATE_MARK, Unclear, lineAt, refuseAll, refused } from "./place.ts";
import type { Located, Place } from "./place.ts";
import { findFlow } from "./powershell-flows.ts";

/** How far back a command's beginning is looked for; what stands further away counts as one. */
const LOOK_BACK = 1_000;

/** In quotes also where it stands bare: an empty variable would otherwise be $null, and the argument would be gone. */
const BARE = { type: "reference", before: '"${env:', after: '}"' } as const satisfies Place;
const IN_QUOTES = { type: "reference", before: "${env:", after: "}" } as const satisfies Place;

const COMMAND = "here a command begins: write the command itself, and use the template for its arguments";

/** PowerShell reads typographic quotes as plain ones (about_Quoting_Rules). */
const SINGLE = /['\u2018-\u201b]/u;
const DOUBLE = /["\u201c-\u201e]/u;

/** With one of these anywhere, a text may become code far from where it is made. */
const EVALUATES =
  /\b(?:iex|invoke-expression|invokescript|expandstring|newscriptblock|add-?type|addscript|addcommand|encodedcommand|wscript\.shell|shell\.application)\b|\[\s*(?:\w+\.)*scriptblock\s*\]|\[\s*(?:\w+\.)*powershell\s*\]|process\]?\s*::\s*start|\b(?:function|alias):|--%/iu;
/** These start another interpreter, which reads its arguments as code. */
const STARTS_INTERPRETER =
  /(?:^|[\s;&|({"'\\/])(?:cmd|powershell|pwsh|bash|sh|wsl|python[0-9.]*|perl|ruby|node|php|start-process|saps|start|start-job|start-threadjob|register-scheduledtask|new-scheduledtaskaction|new-service|invoke-command|icm|invoke-item|ii|import-module|ipmo|set-alias|new-alias|invoke-cimmethod|invoke-wmimethod|wmic|schtasks|psexec|mshta|rundll32|ssh|cscript|wscript|regsvr32|msiexec|forfiles|reg|sc\.exe|sqlcmd|invoke-sqlcmd|[^\s"']*\.(?:bat|cmd)|npm|npx|yarn|pnpm|az|gcloud|mvn|gradle)(?:\.exe)?(?=$|[\s;&|)}"'])/iu;

/**
 * Where the templates of a PowerShell script stand. Accepted are whole words, double quotes and here-strings between
 * @" and "@, where the value of an environment variable is put in and not read again (about_Quoting_Rules); all else is
 * refused. Windows' own tools that are batch files read their arguments once more, so these take none either.
 */
export function locateInPowershell(source: string, count: number): Located {
  const evaluates = EVALUATES.exec(source)?.[0];
  if (evaluates !== undefined) {
    return refuseAll(
      count,
      `the script contains ${evaluates}, which can run text as code: a script with templates must do without it`,
    );
  }
  const reader = new PowershellReader(source);
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
  const flow = findFlow(source, STARTS_INTERPRETER);
  if (flow !== null) {
    const reason = `the value gets into ${flow.into}, and line ${flow.line} runs that, or starts another interpreter with it: write the command itself, and use $env: variables in what it starts`;
    return {
      places: reader.places.map((place) => (place.type === "reference" ? refused(reason) : place)),
      inserts: [],
    };
  }
  return { places: reader.places, inserts: [] };
}

class PowershellReader {
  readonly places: Place[] = [];
  readonly #source: string;
  readonly #lines: readonly string[];
  #at = 0;
  /** The number and the end of the line that was looked at last; templates come in order. */
  #line = 0;
  #lineEnd: number;
  /** For each open bracket, whether what stands in it names a command: `& (…)`. A block `& {…}` does not. */
  readonly #names: boolean[] = [];
  /** Where the quotes around a template begin. */
  #quote = 0;
  /** The statement that was looked at last: its last line, and the interpreter that it starts. */
  #statement: { readonly last: number; readonly starts: string | undefined } | null = null;

  constructor(source: string) {
    this.#source = source;
    this.#lines = source.split("\n");
    this.#lineEnd = this.#lines[0]?.length ?? 0;
  }

  read(): void {
    while (this.#at < this.#source.length) this.#readToken();
  }

  #readToken(): void {
    const char = this.#source[this.#at] ?? "";
    const next = this.#source[this.#at + 1] ?? "";
    const before = this.#source[this.#at - 1] ?? "\n";
    if (char === TEMPLATE_MARK) {
      this.places.push(this.#placeOfBare());
      this.#at += 1;
    } else if (char === "<" && next === "#") this.#readUntil("#>", { type: "comment" });
    else if (char === "#" && /[\s;(){}|,&=]/u.test(before)) this.#readUntil("\n", { type: "comment" });
    else if (char === "@" && DOUBLE.test(next)) this.#readHereString(/\n["\u201c-\u201e]@/u, true);
    else if (char === "@" && SINGLE.test(next)) this.#readHereString(/\n['\u2018-\u201b]@/u, false);
    else if (SINGLE.test(char)) this.#readSingleQuotes();
    else if (DOUBLE.test(char)) this.#readDoubleQuotes();
    else if (char === "$" && next === "{") this.#readBraces();
    else if (char === "`") this.#readEscape();
    else {
      if (char === "(" || char === "{") this.#names.push(char === "(" && this.#namesCommand(this.#at));
      if (char === ")" || char === "}") this.#names.pop();
      this.#at += 1;
    }
  }

  /** Whether what stands at a position outside of quotes names the command that & or . runs. */
  #namesCommand(at: number): boolean {
    const before = this.#source.slice(Math.max(0, at - LOOK_BACK), at);
    return this.#names.at(-1) === true || /(?:(?:^|[^&])&|(?:^|[\s;({|=!])\.)[ \t]*[$@]?$/u.test(before);
  }

  #placeOfBare(): Place {
    const before = this.#source.slice(Math.max(0, this.#at - LOOK_BACK), this.#at);
    const after = this.#source.slice(this.#at + 1);
    if (!/[\s(,=]$/u.test(before) && before !== "")
      return refused("it is part of a longer word: put the word into double quotes");
    if (!/^(?:$|[\s),;|}])/u.test(after))
      return refused("it is part of a longer word: put the word into double quotes");
    // Only blanks on the same line separate words; a comment or another line begins a statement.
    const operator = /(?:^|[\n;{}&|.!])[ \t]*$/u.exec(before);
    if (operator !== null) return refused(COMMAND);
    return this.#namesCommand(this.#at) ? refused(COMMAND) : this.#inStatement(BARE);
  }

  #readDoubleQuotes(): void {
    const start = this.#at;
    this.#quote = start;
    this.#at += 1;
    for (;;) {
      const char = this.#source[this.#at];
      const next = this.#source[this.#at + 1] ?? "";
      if (char === undefined) throw new Unclear("a double quote is not closed", start);
      if (DOUBLE.test(char)) {
        this.#at += 1;
        if (!DOUBLE.test(next)) return;
        this.#at += 1;
      } else this.#readExpandable(char, next);
    }
  }

  /** One step in a text in which variables are expanded. */
  #readExpandable(char: string, next: string): void {
    if (char === TEMPLATE_MARK) {
      const command = this.#namesCommand(this.#quote);
      this.places.push(command ? refused(COMMAND) : this.#inStatement(IN_QUOTES));
      this.#at += 1;
    } else if (char === "`") this.#readEscape();
    else if (char === "$" && next === "(") throw new Unclear("$(…) stands inside double quotes", this.#at);
    else if (char === "$" && next === "{") this.#readBraces();
    else if (char === "$" && next === TEMPLATE_MARK) {
      this.places.push(refused("a $ stands right before it: remove the $, the template is enough"));
      this.#at += 2;
    } else this.#at += 1;
  }

  #readSingleQuotes(): void {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const char = this.#source[this.#at];
      if (char === undefined) throw new Unclear("a single quote is not closed", start);
      this.#at += 1;
      if (!SINGLE.test(char)) continue;
      if (!SINGLE.test(this.#source[this.#at] ?? "")) break;
      this.#at += 1;
    }
    this.#refuseBetween(start, this.#at, "in single quotes nothing is replaced: use double quotes instead");
  }

  #readHereString(end: RegExp, expands: boolean): void {
    const start = this.#at;
    if (!/^@.[ \t]*\r?\n/u.test(this.#source.slice(start, start + 200)))
      throw new Unclear("a here-string does not begin with a line break", start);
    const found = end.exec(this.#source.slice(start + 2));
    if (found === null) throw new Unclear("a here-string is not closed", start);
    const last = start + 2 + found.index;
    this.#quote = start;
    if (expands) {
      // Its end is found before anything in it is expanded; what is open in it cannot go on behind it.
      for (this.#at = start + 2; this.#at < last;)
        this.#readExpandable(this.#source[this.#at] ?? "", this.#source[this.#at + 1] ?? "");
      if (this.#at > last) throw new Unclear("something in a here-string goes on behind its end", start);
    } else {
      this.#refuseBetween(
        start,
        last,
        "between @' and '@ nothing is replaced: use @\" and \"@, and write a backtick before every other $ and `",
      );
    }
    this.#at = last + found[0].length;
  }

  #readBraces(): void {
    const start = this.#at;
    const end = this.#source.indexOf("}", start);
    if (end < 0) throw new Unclear("${ is not closed", start);
    this.#refuseBetween(start, end, "here it would be the name of a variable: write the name itself");
    this.#at = end + 1;
  }

  #readEscape(): void {
    if (this.#source[this.#at + 1] === TEMPLATE_MARK)
      this.places.push(refused("a backtick stands right before it: remove the backtick"));
    this.#at += 2;
  }

  #readUntil(end: string, place: Place): void {
    const start = this.#at;
    const found = this.#source.indexOf(end, start);
    this.#at = found < 0 ? this.#source.length : found + end.length;
    for (const char of this.#source.slice(start, this.#at)) if (char === TEMPLATE_MARK) this.places.push(place);
  }

  #refuseBetween(from: number, to: number, reason: string): void {
    for (const char of this.#source.slice(from, to)) if (char === TEMPLATE_MARK) this.places.push(refused(reason));
  }

  /** The lines around it, as far as a pipe or a backtick joins them, must not start an interpreter. */
  #inStatement(place: Place): Place {
    while (this.#lineEnd < this.#at) {
      this.#line += 1;
      this.#lineEnd += 1 + (this.#lines[this.#line]?.length ?? 0);
    }
    // Templates come in order, so a statement that reaches this far is the one around it.
    if (this.#statement === null || this.#statement.last < this.#line) this.#statement = this.#statementAt(this.#line);
    const { starts } = this.#statement;
    if (starts === undefined) return place;
    return refused(
      `in a statement with ${starts} the value could become code: put that into a statement of its own, with $env: variables`,
    );
  }

  #statementAt(line: number): { last: number; starts: string | undefined } {
    const joined = /(?:[|,({`]|&&|\|\|)\s*\r?$/u;
    const lines = this.#lines;
    let first = line;
    let last = line;
    while (first > 0 && (joined.test(lines[first - 1] ?? "") || /^\s*\|/u.test(lines[first] ?? ""))) first -= 1;
    while (last < lines.length - 1 && (joined.test(lines[last] ?? "") || /^\s*\|/u.test(lines[last + 1] ?? "")))
      last += 1;
    return { last, starts: STARTS_INTERPRETER.exec(lines.slice(first, last + 1).join("\n"))?.[0].trim() };
  }
}
