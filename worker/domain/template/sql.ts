import { SQL_VALUE_PREFIX } from "../../../schema/contract/sql-values.ts";
import { TEMPLATE_MARK, Unclear, lineAt, refuseAll, refused } from "./place.ts";
import type { Located, Place } from "./place.ts";
import { SqlClauses } from "./sql-clauses.ts";

const BOUND = { type: "reference", before: ":", after: "" } as const satisfies Place;

const WORD = /[\p{L}_@][\p{L}\p{N}_$@#]*/uy;
const NUMBER = /[0-9][\p{L}\p{N}_.]*/uy;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const TOUCHES = /[\p{L}\p{N}_$@#.'"`\0]/u;

/** These run what they are given as SQL, as a command or as a program, so binding protects nothing. */
const EVALUATES =
  /\b(?:dblink\w*|(?:query|cursor)_to_xml\w*|crosstab\w*|connectby|ts_stat|ts_rewrite|plv8_\w+|openquery|openrowset|opendatasource|sp_executesql|sp_sqlexec|sp_prepare|sp_prepexec|sp_execute_external_script|sp_oa\w+|xp_\w+|load_extension|fts3_tokenizer|dbms_sql|execute\s+immediate|prepare\s+[\p{L}_][\p{L}\p{N}_]{0,63}\s+from)\b|\b(?:exec|execute)\s*(?:[('|]|@[\p{L}\p{N}_$@#]+(?![\p{L}\p{N}_$@#]|\s*=))/iu;
/** A setting that a value names could be any, such as the role. Its value is only a text. */
const NAMES_SETTING = /\bset_config\s*\(\s*(?!['\s])/iu;
/** The server's own files: which of them, and what is in them, is not for a value to say. */
const FILES =
  /\b(?:pg_read_(?:binary_)?file|pg_ls_dir|pg_stat_file|pg_file_write|lo_import|lo_export|load_file|readfile|writefile|into\s+(?:outfile|dumpfile))\b/iu;

const LEAVE_OUT_QUOTES =
  "between quotes nothing is bound: leave out the quotes, the value is bound as text (a part of a text: concat('%', {{…}}, '%'))";

/**
 * Where the templates of an SQL statement stand. A template becomes the placeholder of a bound value
 * (schema/contract/sql-values.ts), so only places where an expression stands take one. Which database reads the statement
 * is not known here: what PostgreSQL, MySQL, SQL Server and SQLite read differently is refused, with a way that they share.
 */
export function locateInSql(source: string, count: number): Located {
  if (source.toLowerCase().includes(SQL_VALUE_PREFIX)) {
    return refuseAll(count, `names that contain ${SQL_VALUE_PREFIX} are those of bound values: choose another name`);
  }
  const unsafe = unsafeStatement(source);
  if (unsafe !== null) return refuseAll(count, unsafe);
  const reader = new SqlReader(source);
  try {
    reader.read();
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    const line = lineAt(source, error.at);
    return refuseAll(count, `the statement cannot be followed from line ${line} on: ${error.message}`);
  }
  return { places: reader.places, inserts: [] };
}

/** Why a statement takes no templates at all; null when it may. */
function unsafeStatement(source: string): string | null {
  const evaluates = EVALUATES.exec(source)?.[0].trim();
  if (evaluates !== undefined) {
    return `the statement contains ${evaluates.slice(0, 40)}, which runs text as code: write the statement itself, with templates for its values`;
  }
  if (NAMES_SETTING.test(source)) {
    return "set_config would let a value name the setting: write its name in quotes, set_config('app.name', {{…}}, true)";
  }
  const file = FILES.exec(source)?.[0];
  if (file === undefined) return null;
  return `the statement contains ${file}, which reads or writes files of the database's server: leave it out, or use no templates in this statement`;
}

class SqlReader {
  readonly places: Place[] = [];
  readonly #source: string;
  readonly #clauses = new SqlClauses();
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): void {
    while (this.#at < this.#source.length) this.#readToken();
  }

  #readToken(): void {
    const char = this.#source[this.#at] ?? "";
    const next = this.#source[this.#at + 1] ?? "";
    if (/\s/u.test(char)) this.#at += 1;
    else if (char === TEMPLATE_MARK) this.#readTemplate();
    else if (char === "'") this.#readQuoted("'", LEAVE_OUT_QUOTES);
    else if (char === '"' || char === "`") {
      this.#readQuoted(
        char,
        `between ${char} stands a name, and a name cannot be bound: write the name itself; for a value, leave out the quotes`,
      );
    } else if (char === "[") this.#readSquareBracket();
    else if (char === "-" && next === "-") this.#readLineComment();
    else if (char === "/" && next === "*") this.#readComment();
    else if (char === "#") this.#readHash(next);
    else if (char === "$") this.#readDollar();
    else {
      const word = this.#match(WORD);
      if (word !== null) this.#clauses.word(word);
      else if (this.#match(NUMBER) !== null) this.#clauses.operand();
      else {
        this.#at += 1;
        this.#clauses.operator(char);
      }
    }
  }

  #readTemplate(): void {
    const before = this.#source[this.#at - 1] ?? "";
    const after = this.#source.slice(this.#at + 1);
    const touches = (before !== "" && TOUCHES.test(before)) || (after !== "" && TOUCHES.test(after[0] ?? ""));
    if (touches) {
      this.places.push(
        refused(
          "it touches other text, and only a whole value can be bound: join texts with concat('a', {{…}}), and write names themselves",
        ),
      );
    } else {
      const reason = this.#clauses.refusal(after);
      this.places.push(reason === null ? BOUND : refused(reason));
    }
    this.#clauses.operand();
    this.#at += 1;
  }

  /** A text or a quoted name; its quote is written twice inside it. */
  #readQuoted(quote: string, reason: string): void {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const end = this.#source.indexOf(quote, this.#at);
      if (end < 0) throw new Unclear(`${quote} is not closed`, start);
      if (this.#source[end - 1] === "\\") {
        throw new Unclear(
          `databases differ about a backslash before ${quote}: write ${quote}${quote} for a quote`,
          end,
        );
      }
      this.#at = end + 1;
      if (this.#source[this.#at] !== quote) break;
      this.#at += 1;
    }
    this.#placeBetween(start, this.#at, refused(this.#intervalReason(start) ?? reason));
    this.#clauses.operand();
  }

  /** `interval '{{v}} days'`: a number is bound beside it. */
  #intervalReason(start: number): string | null {
    if (!/\binterval\s*$/iu.test(this.#source.slice(Math.max(0, start - 20), start))) return null;
    const unit = /\0\s*([a-z]+?)s?'$/iu.exec(this.#source.slice(start, this.#at))?.[1] ?? "day";
    return `between quotes nothing is bound: write {{…}} * interval '1 ${unit}' (in MySQL: interval {{…}} ${unit})`;
  }

  /** `array[…]` and `a[1]` in PostgreSQL; elsewhere in SQL Server a quoted name. */
  #readSquareBracket(): void {
    const before = this.#source.slice(Math.max(0, this.#at - 20), this.#at);
    if (/(?:\barray\s*|[\p{L}\p{N}_)\]"])$/iu.test(before)) {
      this.#at += 1;
      this.#clauses.operator("[");
      return;
    }
    const start = this.#at;
    const end = this.#source.indexOf("]", start);
    if (end < 0) throw new Unclear("[ is not closed", start);
    this.#at = end + 1;
    this.#placeBetween(
      start,
      end,
      refused("between [ and ] stands a name, and a name cannot be bound: write the name itself"),
    );
    this.#clauses.operand();
  }

  #readLineComment(): void {
    if (!/^--(?:\s|$)/u.test(this.#source.slice(this.#at, this.#at + 3))) {
      throw new Unclear("to MySQL -- begins a comment only before a blank: write a blank behind it", this.#at);
    }
    this.#readToLineEnd();
  }

  #readToLineEnd(): void {
    const newline = this.#source.indexOf("\n", this.#at);
    const end = newline < 0 ? this.#source.length : newline;
    this.#placeBetween(this.#at, end, { type: "comment" });
    this.#at = end;
  }

  #readComment(): void {
    const start = this.#at;
    const end = this.#source.indexOf("*/", start + 2);
    if (end < 0) throw new Unclear("a comment is not closed", start);
    const content = this.#source.slice(start + 2, end);
    if (content.includes("/*"))
      throw new Unclear("databases differ about comments in comments: use -- for one of them", start);
    this.#at = end + 2;
    const place: Place = /^(?:M?!|\+)/u.test(content)
      ? refused("MySQL runs what stands in /*! … */, and hints take no values: write the value outside the comment")
      : { type: "comment" };
    this.#placeBetween(start, end, place);
  }

  /** `#>` and the like in PostgreSQL, `#name` in SQL Server, and a comment in MySQL. */
  #readHash(next: string): void {
    if (/[\s!'"`]/u.test(next) || next === "") {
      throw new Unclear("# begins a comment in MySQL only: write -- and a blank instead", this.#at);
    }
    this.#at += 1;
    this.#clauses.operator("#");
  }

  #readDollar(): void {
    const start = this.#at;
    const tag = this.#match(DOLLAR_QUOTE);
    if (tag === null)
      throw new Unclear("the service numbers the placeholders itself: write a template for each value", start);
    const end = this.#source.indexOf(tag, this.#at);
    if (end < 0) throw new Unclear(`${tag} is not closed`, start);
    this.#at = end + tag.length;
    this.#placeBetween(
      start,
      end,
      refused(`between ${tag} nothing is bound: leave out ${tag}, the value is bound as text`),
    );
    this.#clauses.operand();
  }

  #placeBetween(from: number, to: number, place: Place): void {
    for (const char of this.#source.slice(from, to)) if (char === TEMPLATE_MARK) this.places.push(place);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }
}
