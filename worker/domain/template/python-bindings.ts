/** What a script was read as, in order; `end` is the end of a statement. */
export interface NameToken {
  readonly type: "name" | "text" | "template" | "operator" | "end";
  readonly text: string;
  readonly depth: number;
  /** A text that is put together: with a template or, in an f-string, with something in braces. */
  readonly joined: boolean;
}

const ADDS = /^(?:append|extend)$/u;
const CHANGES = /^(?:insert|pop|remove|clear|reverse|sort|__setitem__|__iadd__)$/u;
const BINDS = /^(?:def|class|for|with|del|global|nonlocal|except|case|async|import|from)$/u;
const DECLARES = /^(?:def|class|del|import|from|case)$/u;
const JOINS = /^(?:format|format_map|join|replace|substitute|safe_substitute)$/u;
/** In a statement that begins so, a comma does not stand between targets. */
const NO_TARGETS = /^(?:return|yield|assert|print|raise|await|if|elif|while|else|in|not|lambda)$/u;

/** How the names of a script get their values; scopes do not count. */
export class PythonBindings {
  readonly #tokens: NameToken[] = [];
  /** Where each name stands, unless it is an attribute. */
  readonly #positions = new Map<string, number[]>();
  #targets: ReadonlySet<number> | null = null;

  get length(): number {
    return this.#tokens.length;
  }

  /** Whether a statement begins here. */
  get atStatement(): boolean {
    return this.#beginsStatement(this.#tokens.length);
  }

  push(type: NameToken["type"], text: string, depth: number, joined = false): void {
    if (type === "name" && this.#text(this.#tokens.length - 1) !== ".") {
      const known = this.#positions.get(text);
      if (known === undefined) this.#positions.set(text, [this.#tokens.length]);
      else known.push(this.#tokens.length);
    }
    this.#tokens.push({ type, text, depth, joined });
  }

  /** Whether something is added to any list. */
  get addsToLists(): boolean {
    return this.#tokens.some(({ type, text }, at) =>
      type === "name" ? ADDS.test(text) || CHANGES.test(text) : text === "+" && this.#text(at + 1) === "=",
    );
  }

  /**
   * Where the lists begin that a name stands for: the positions of their brackets. Null when it stands for something else,
   * too: for a parameter, for what a loop or a call gives, for a list whose first element may change.
   */
  listsOf(name: string): { readonly starts: readonly number[]; readonly extended: boolean } | null {
    const starts: number[] = [];
    let extended = false;
    for (const at of this.#positions.get(name) ?? []) {
      const next = this.#text(at + 1);
      if (this.#isTarget(at)) return null;
      if (next === "." && this.#text(at + 3) === "(") {
        if (CHANGES.test(this.#text(at + 2))) return null;
        extended ||= ADDS.test(this.#text(at + 2));
      }
      if (!this.#beginsStatement(at) && !(next === ":" && this.#text(at + 2) === "=")) continue;
      if (next === "=" && this.#text(at + 2) !== "=") {
        const start = at + 2;
        const end = this.#endOfBracket(start);
        if (end === null || this.#tokens[end + 1]?.type === "name" || !/^(?:end|)$/u.test(this.#kind(end + 1)))
          return null;
        starts.push(start);
      } else if (next === "+" && this.#text(at + 2) === "=") extended = true;
      else if (!/^[.(]?$/u.test(next)) return null;
    }
    return starts.length === 0 ? null : { starts, extended };
  }

  /** Whether a name may stand for a text that is put together while the script runs. */
  isJoinedText(name: string): boolean {
    // Of a = b = … only the first is looked at: its value holds the others.
    let judged = -1;
    for (const at of this.#positions.get(name) ?? []) {
      if (this.#isTarget(at)) return true;
      if (at < judged || !/^[=+:%]$/u.test(this.#text(at + 1)) || !this.#beginsStatement(at)) continue;
      judged = at + 2;
      while (judged < this.#tokens.length && this.#kind(judged) !== "end") judged += 1;
      if (isJoined(this.#tokens.slice(at + 2, judged), this.#text(at + 1))) return true;
    }
    return false;
  }

  /** A place where a name gets a value that is not written there: a parameter, a loop, one of several targets. */
  #isTarget(at: number): boolean {
    this.#targets ??= targetsIn(this.#tokens);
    return this.#targets.has(at);
  }

  #beginsStatement(at: number): boolean {
    const previous = this.#tokens[at - 1];
    return (
      previous === undefined ||
      previous.type === "end" ||
      ((previous.text === ":" || previous.text === "=") && this.#tokens[at]?.depth === 0)
    );
  }

  #endOfBracket(start: number): number | null {
    const open = this.#tokens[start];
    if (open === undefined || (open.text !== "[" && open.text !== "(")) return null;
    for (let at = start + 1; at < this.#tokens.length; at += 1) {
      if (this.#tokens[at]?.depth === open.depth) return at;
    }
    return null;
  }

  #text(at: number): string {
    const token = this.#tokens[at];
    return token === undefined || token.type === "text" || token.type === "end" ? "" : token.text;
  }

  #kind(at: number): string {
    return this.#tokens[at]?.type ?? "";
  }
}

/** Whether a value, behind = or +=, is put together of texts and what is known only when the script runs. */
function isJoined(value: readonly NameToken[], operator: string): boolean {
  const parts = value.some(({ type }) => type === "name" || type === "template");
  const joins = value.some(({ type, text }) => (type === "operator" ? /[+%]/u.test(text) : JOINS.test(text)));
  const adds = operator === "+" && !value.some(({ type }) => type === "text");
  return value.some(({ joined }) => joined) || (parts && (joins || adds)) || value[0]?.type === "template";
}

function targetsIn(tokens: readonly NameToken[]): Set<number> {
  const targets = new Set<number>();
  let first = 0;
  let opened = 0;
  let inFor = false;
  let inLambda = false;
  tokens.forEach(({ type, text, depth }, at) => {
    if (type === "end") {
      first = at + 1;
      inFor = false;
      inLambda = false;
      return;
    }
    const start = tokens[first]?.text ?? "";
    const previous = tokens[at - 1]?.text ?? "";
    if (type === "name") {
      if (text === "for") inFor = true;
      if (text === "in") inFor = false;
      if (text === "lambda") inLambda = true;
      // What stands behind `def f():` on the same line counts as a parameter, too.
      const declared = DECLARES.test(start) || (start === "async" && tokens[first + 1]?.text === "def");
      const listed = previous === "," && depth === 0 && !NO_TARGETS.test(start) && !BINDS.test(start);
      if (inFor || inLambda || declared || listed || /^(?:as|global|nonlocal)$/u.test(previous)) targets.add(at);
      return;
    }
    if (type !== "operator") return;
    if (text === ":") inLambda = false;
    if (depth > 0) return;
    if (/[([{]/u.test(text)) opened = at;
    // (a, b) = …
    if (!/[)\]]/u.test(text) || tokens[at + 1]?.text !== "=" || tokens[at + 2]?.text === "=") return;
    for (let inside = opened; inside < at; inside += 1) targets.add(inside);
  });
  return targets;
}
