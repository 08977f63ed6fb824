import { unescapeXml } from "./xml.ts";

const MARK = /(?:^|\n)#< CLIXML\r?\n/u;
/** How much of a mark may be at the end of the text. */
const MARK_CHARS = 16;
/** An element that is not closed within this length is passed on unchanged. */
const HELD_MAX_CHARS = 1_048_576;
const PREFIXES: Readonly<Record<string, string>> = { warning: "WARNING: ", verbose: "VERBOSE: ", debug: "DEBUG: " };

/**
 * PowerShell writes errors to a redirected standard error as XML (CLIXML), between the text of other programs. The
 * decoder returns plain text: messages decoded, progress and other objects removed, everything else unchanged.
 */
export class ClixmlDecoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #held = "";
  #inXml = false;

  /** The text of the next chunk, as far as it is complete. */
  push(bytes: Uint8Array): string {
    return this.#read(this.#decoder.decode(bytes, { stream: true }), false);
  }

  end(): string {
    return this.#read(this.#decoder.decode(), true);
  }

  #read(text: string, last: boolean): string {
    this.#held += text;
    let out = "";
    if (!this.#inXml) {
      const mark = MARK.exec(this.#held);
      if (mark === null) {
        const keep = last ? 0 : unfinishedMark(this.#held);
        out = this.#held.slice(0, this.#held.length - keep);
        this.#held = this.#held.slice(this.#held.length - keep);
        return out;
      }
      out = this.#held.slice(0, mark.index + (mark[0].startsWith("\n") ? 1 : 0));
      this.#held = this.#held.slice(mark.index + mark[0].length);
      this.#inXml = true;
    }
    for (;;) {
      const step = nextStep(this.#held, last || this.#held.length > HELD_MAX_CHARS);
      if (step === null) return out;
      out += step.text;
      this.#held = this.#held.slice(step.length);
    }
  }
}

/** How many characters at the end may begin a mark: a chunk may end inside one. */
function unfinishedMark(text: string): number {
  const tail = text.slice(-MARK_CHARS);
  for (let size = Math.min(tail.length, MARK_CHARS); size > 0; size -= 1) {
    const end = tail.slice(-size);
    if (["\n#< CLIXML\r", "#< CLIXML\r"].some((mark) => mark.startsWith(end))) {
      if (end.startsWith("\n") || size === text.length) return size;
    }
  }
  return 0;
}

interface Step {
  length: number;
  text: string;
}

/** The first item in CLIXML: text between elements, a message, or an object. Null when it is not complete. */
function nextStep(held: string, all: boolean): Step | null {
  if (held === "") return null;
  const plain = /^[^<#]+/u.exec(held)?.[0];
  if (plain !== undefined) return { length: plain.length, text: plain };
  if (held.startsWith("#")) {
    // A nested PowerShell repeats the mark.
    const mark = /^#< CLIXML\r?\n/u.exec(held)?.[0];
    if (mark !== undefined) return { length: mark.length, text: "" };
    return "#< CLIXML\r".startsWith(held) && !all ? null : { length: 1, text: "#" };
  }
  const found =
    /^<\/?Objs\b[^>]*>/u.exec(held) ??
    /^<S S="(\w+)">([^<]*)<\/S>/u.exec(held) ??
    /^<(?:Nil|S S="\w+") ?\/>/u.exec(held);
  if (found !== null) {
    const [whole, stream = "", message] = found;
    const text = message === undefined ? "" : `${PREFIXES[stream.toLowerCase()] ?? ""}${decoded(message)}`;
    return { length: whole.length, text };
  }
  if (/^<Obj\b/u.test(held)) {
    const length = objectLength(held);
    if (length !== null) return { length, text: "" };
    return all ? { length: held.length, text: "" } : null;
  }
  const known = ["<Objs", "</Objs", "<Obj ", '<S S="', "<Nil"].some(
    (start) => start.startsWith(held.slice(0, start.length)) || held.startsWith(start),
  );
  return known && !all ? null : { length: 1, text: "<" };
}

/** The length up to the end of the first object. Objects nest. */
function objectLength(held: string): number | null {
  let depth = 0;
  for (const { 0: tag, index } of held.matchAll(/<Obj\b[^>]*>|<\/Obj>/gu)) {
    if (tag.endsWith("/>")) continue;
    depth += tag.startsWith("</") ? -1 : 1;
    if (depth === 0) return index + tag.length;
  }
  return null;
}

/** `_x000D_` is a carriage return, `_x005F_` the underscore of text that looks like such an escape. */
function decoded(message: string): string {
  return readable(message).replaceAll(/_x([0-9A-Fa-f]{4})_/gu, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function readable(message: string): string {
  try {
    return unescapeXml(message);
  } catch {
    return message;
  }
}
