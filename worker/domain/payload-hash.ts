/**
 * The facts about a webhook's payload, read in one pass over its text. `text` must be valid JSON whose depth was
 * checked; empty text equals `{}`.
 */
export interface Payload {
  /**
   * The same text for all spellings of the same value, for the deduplication hash
   * (docs/design/http-api.md#deduplication). Keys are sorted, white space is dropped, strings count by value, and
   * numbers by their source text: 1.0 and 1 differ, so that rounding never joins two events. Of a duplicate key the
   * last one counts, as in `JSON.parse`, which makes the workflow's variables.
   */
  readonly canonical: string;
  /**
   * The source text of the field `variables`; null without it. It is never longer than the body, unlike text that is
   * serialized again (`1e20` becomes 21 digits): a Durable Object's values are limited to 2 MB.
   */
  readonly variables: string | null;
}

export function scanPayload(text: string): Payload {
  const scanner = new Scanner(text);
  scanner.skipSpace();
  if (scanner.at === text.length) return { canonical: "{}", variables: null };
  const canonical = scanner.value();
  return { canonical, variables: scanner.variables };
}

const VARIABLES = JSON.stringify("variables");

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

class Scanner {
  at = 0;
  variables: string | null = null;
  #depth = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.at))) this.at += 1;
  }

  value(): string {
    this.skipSpace();
    const char = this.#text.charCodeAt(this.at);
    if (char === OPEN_BRACE) return this.#object();
    if (char === OPEN_BRACKET) return this.#array();
    return char === QUOTE ? this.#string() : this.#scalar();
  }

  #object(): string {
    const members = new Map<string, string>();
    this.at += 1;
    this.#depth += 1;
    while (this.#another(CLOSE_BRACE)) {
      const key = this.#string();
      this.skipSpace();
      this.at += 1;
      this.skipSpace();
      const start = this.at;
      members.set(key, this.value());
      if (this.#depth === 1 && key === VARIABLES) this.variables = this.#text.slice(start, this.at);
    }
    this.#depth -= 1;
    const sorted = [...members.keys()].sort();
    return `{${sorted.map((key) => `${key}:${members.get(key) ?? ""}`).join(",")}}`;
  }

  #array(): string {
    const items: string[] = [];
    this.at += 1;
    this.#depth += 1;
    while (this.#another(CLOSE_BRACKET)) items.push(this.value());
    this.#depth -= 1;
    return `[${items.join(",")}]`;
  }

  /** Moves to the next member or item, or past the end when there is none. */
  #another(close: number): boolean {
    this.skipSpace();
    if (this.#text.charCodeAt(this.at) === COMMA) {
      this.at += 1;
      this.skipSpace();
    }
    if (this.#text.charCodeAt(this.at) !== close) return this.at < this.#text.length;
    this.at += 1;
    return false;
  }

  #string(): string {
    const start = this.at;
    let escaped = false;
    for (;;) {
      this.at += 1;
      const char = this.#text.charCodeAt(this.at);
      if (char === BACKSLASH) {
        escaped = true;
        this.at += 1;
      } else if (char === QUOTE || Number.isNaN(char)) break;
    }
    this.at += 1;
    const source = this.#text.slice(start, this.at);
    // Without an escape, the source is what JSON.stringify would write.
    return escaped ? JSON.stringify(JSON.parse(source)) : source;
  }

  #scalar(): string {
    const start = this.at;
    while (this.at < this.#text.length && !endsScalar(this.#text.charCodeAt(this.at))) this.at += 1;
    return this.#text.slice(start, this.at);
  }
}

function isSpace(char: number): boolean {
  return char === SPACE || char === LINE_FEED || char === CARRIAGE_RETURN || char === TAB;
}

function endsScalar(char: number): boolean {
  return char === COMMA || char === CLOSE_BRACE || char === CLOSE_BRACKET || isSpace(char);
}
