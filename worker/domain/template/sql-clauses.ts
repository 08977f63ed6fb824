/** After these words an expression may begin. After every other one stands a name, a list or a keyword. */
const BEFORE_VALUE = new Set(
  (
    "select distinct all where and or not on having when then else case like ilike rlike regexp glob match similar between " +
    "symmetric is limit offset return returning escape div mod xor for fetch first next if elseif elsif while zone binary " +
    "percent default qualify when"
  ).split(" "),
);
/** What such a statement says is fixed when it is prepared: databases bind nothing in it. */
const DEFINES = new Set(
  (
    "create alter drop truncate grant revoke use pragma attach detach copy do vacuum analyze comment lock show describe " +
    "rename backup restore reindex cluster load handler deallocate kill"
  ).split(" "),
);
const CLAUSES = new Set(
  "select from where having set values limit offset returning into on using union except intersect window".split(" "),
);

type Token =
  | { readonly type: "start" | "operand" | "procedure" }
  | { readonly type: "word" | "operator"; readonly text: string };

interface Bracket {
  clause: string;
  /** It holds a query, so its `from` names tables. */
  selects: boolean;
}

/** What the words of a statement say about the next place: whether a value may stand there. */
export class SqlClauses {
  /** What each open bracket holds, the outermost first. */
  #open: Bracket[] = [{ clause: "", selects: false }];
  #statement = "";
  #last: Token = { type: "start" };

  word(text: string): void {
    const word = text.toLowerCase();
    if (this.#statement === "") this.#statement = word;
    if (word === "from" && this.#last.type === "word" && this.#last.text === "distinct") {
      // a is distinct from b
      this.#last = { type: "word", text: "distinct" };
      return;
    }
    if (CLAUSES.has(word) || word === "by") this.#top.clause = word;
    if (word === "select") this.#top.selects = true;
    // T-SQL: EXEC name value, value.
    const called = /^exec(?:ute)?$/u.test(this.#statement) && this.#last.type !== "start";
    this.#last = called ? { type: "procedure" } : { type: "word", text: word };
  }

  /** A text, a number, a quoted name or a value. */
  operand(): void {
    this.#last = { type: "operand" };
  }

  operator(char: string): void {
    if (char === "(" || char === "[")
      this.#open.push({ clause: this.#top.clause === "into" ? "columns" : "", selects: false });
    if ((char === ")" || char === "]") && this.#open.length > 1) this.#open.pop();
    if (char === ";" && this.#open.length === 1) {
      this.#statement = "";
      this.#open = [{ clause: "", selects: false }];
      this.#last = { type: "start" };
    } else this.#last = char === ")" || char === "]" ? { type: "operand" } : { type: "operator", text: char };
  }

  /** Why no value can be bound here; null where one can. `after` is what follows the template. */
  refusal(after: string): string | null {
    if (this.#statement === "kill")
      return "SQL Server and MySQL bind no value in kill: write the number itself (PostgreSQL takes select pg_terminate_backend({{…}}))";
    if (DEFINES.has(this.#statement))
      return `databases bind no values in a ${this.#statement} statement: write the value itself`;
    if (/^\s*\(/u.test(after))
      return "here it would name a function, and a name cannot be bound: write the name itself";
    if (this.#top.clause === "columns") return nameRefusal("into");
    switch (this.#last.type) {
      case "start":
        return "here a statement begins: write it yourself, and use templates for its values";
      case "procedure":
        return null;
      case "operand":
        return "between it and what stands before it an operator or a comma is missing; asc and desc, too, must be written themselves";
      case "operator":
        return this.#afterOperator(this.#last.text, after);
      case "word":
        return this.#afterWord(this.#last.text, after);
    }
  }

  #afterOperator(operator: string, after: string): string | null {
    if (operator === ":") return "here it would name a type, and a name cannot be bound: write the type itself";
    if (operator === ".") return nameRefusal("a dot");
    if (operator !== ",") return null;
    if (this.#top.clause === "by") return this.#byRefusal(after);
    if (this.#top.clause === "from" && this.#top.selects) return nameRefusal("from");
    return this.#top.clause === "set" && /^\s*=/u.test(after) ? nameRefusal("set") : null;
  }

  #afterWord(word: string, after: string): string | null {
    if (BEFORE_VALUE.has(word)) return null;
    if (word === "by") return this.#byRefusal(after);
    // substring(x from 2), is distinct from x
    if (word === "from" && this.#open.length > 1 && !this.#top.selects) return null;
    if (word === "interval" && /^\s+[a-z_]+/iu.test(after)) return null;
    if (word === "in") return "a list cannot be bound as one: write in ({{a}}, {{b}}), with a template for each value";
    if (word === "values" || word === "top")
      return `after ${word} brackets stand around a value: write ${word} ({{…}})`;
    if (/^(?:interval|date|time|timestamp)$/u.test(word))
      return `after ${word} stands a text that is written there: write cast({{…}} as ${word})`;
    return nameRefusal(word);
  }

  #byRefusal(after: string): string | null {
    return /^\s*(?:$|[,);]|(?:asc|desc|nulls|limit|offset|having|order|fetch|rows|range|collate)\b)/iu.test(after)
      ? "a bound value names no column, so it would sort or group nothing: write the column, or choose with case when {{…}} = 'name' then name end"
      : null;
  }

  get #top(): Bracket {
    return this.#open.at(-1) ?? { clause: "", selects: false };
  }
}

function nameRefusal(before: string): string {
  return `right after ${before} stands a name or a keyword (asc and desc are such), and only values can be bound: write it itself`;
}
