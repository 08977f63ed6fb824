/**
 * RESP2, the protocol of Redis (https://redis.io/docs/latest/develop/reference/protocol-spec/): an encoder of commands and
 * a parser of replies. RESP3 is never negotiated, so its types are not valid here.
 */

/** The limits of a reply in the agent's memory. */
const REPLY_MAX_BYTES = 16 * 1_024 * 1_024;
const REPLY_MAX_VALUES = 1_000_000;
const REPLY_MAX_LEVELS = 64;

const CRLF = Buffer.from("\r\n");

/** Texts are bytes. An integer that a JSON number would round is a string of its digits. */
export type Reply = Buffer | number | string | null | Refusal | Reply[];

export interface Refusal {
  error: string;
}

export class InvalidReply extends Error {}

export class ReplyTooLarge extends InvalidReply {
  constructor() {
    super("the reply is larger than the limits of this agent");
  }
}

export function isRefusal(reply: Reply): reply is Refusal {
  return typeof reply === "object" && reply !== null && "error" in reply;
}

/** Each word becomes one bulk string: no byte in it has a meaning for the protocol. */
export function encodeCommand(words: readonly string[]): Buffer {
  const parts = words
    .map((word) => Buffer.from(word))
    .flatMap((word) => [Buffer.from(`$${word.length}\r\n`), word, CRLF]);
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...parts]);
}

/** Parses one reply, from parts of any size. */
export class ReplyParser {
  #held = Buffer.alloc(4_096);
  #end = 0;
  #next = 0;
  #values = 0;
  readonly #steps = this.#value(1);

  /** The reply when `chunk` completes it, otherwise undefined. Throws `InvalidReply` or `ReplyTooLarge`. */
  push(chunk: Buffer): Reply | undefined {
    if (this.#end + chunk.length > REPLY_MAX_BYTES) throw new ReplyTooLarge();
    this.#hold(chunk);
    const step = this.#steps.next();
    if (step.done !== true) return undefined;
    if (this.#next < this.#end) throw new InvalidReply("there are bytes after the reply that belong to no command");
    return step.value;
  }

  #hold(chunk: Buffer): void {
    const end = this.#end + chunk.length;
    if (end > this.#held.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.#held.length));
      this.#held.copy(larger, 0, 0, this.#end);
      this.#held = larger;
    }
    chunk.copy(this.#held, this.#end);
    this.#end = end;
  }

  /** Yields whenever it needs more bytes. */
  *#value(level: number): Generator<void, Reply> {
    this.#values += 1;
    if (level > REPLY_MAX_LEVELS || this.#values > REPLY_MAX_VALUES) throw new ReplyTooLarge();
    const type = String.fromCharCode((yield* this.#bytes(1))[0] ?? 0);
    // Checked before the rest of the line: a server of another protocol may never end it.
    if (!"+-:$*".includes(type)) throw new InvalidReply(`RESP2 has no reply of the type ${JSON.stringify(type)}`);
    const line = yield* this.#line();
    if (type === "+") return line;
    if (type === "-") return { error: line.toString() };
    if (type === ":") return integer(line.toString());
    const length = lengthOf(line.toString(), type === "$" ? REPLY_MAX_BYTES : REPLY_MAX_VALUES);
    if (length === null) return null;
    if (type === "*") {
      const values: Reply[] = [];
      // The announced length reserves no memory.
      while (values.length < length) values.push(yield* this.#value(level + 1));
      return values;
    }
    const text = yield* this.#bytes(length);
    if (!(yield* this.#bytes(CRLF.length)).equals(CRLF))
      throw new InvalidReply("a text is longer than its announced length");
    return text;
  }

  *#bytes(length: number): Generator<void, Buffer> {
    const start = this.#next;
    while (this.#end - start < length) yield;
    this.#next = start + length;
    return this.#held.subarray(start, this.#next);
  }

  /** Up to CR LF, without them. */
  *#line(): Generator<void, Buffer> {
    const start = this.#next;
    let searched = start;
    for (;;) {
      const end = this.#held.subarray(0, this.#end).indexOf(CRLF, searched);
      if (end !== -1) {
        this.#next = end + CRLF.length;
        return this.#held.subarray(start, end);
      }
      // Bytes are searched once, or a server that sends them one by one would cost the square of their number.
      searched = Math.max(start, this.#end - 1);
      yield;
    }
  }
}

function integer(text: string): number | string {
  if (!/^[+-]?\d{1,19}$/u.test(text)) throw new InvalidReply("a number has other characters than digits");
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** Null for the length -1, which announces no value. */
function lengthOf(text: string, max: number): number | null {
  if (text === "-1") return null;
  if (!/^\d{1,10}$/u.test(text)) throw new InvalidReply("a length is not a number, or is negative");
  const length = Number(text);
  if (length > max) throw new ReplyTooLarge();
  return length;
}
