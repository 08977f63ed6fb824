import { StringDecoder } from "node:string_decoder";
import { EXIT } from "../exit-codes.ts";
import { CommandRefused } from "./refused.ts";

const PASTE_BEGINS = "\u001b[200~";
const PASTE_ENDS = "\u001b[201~";
/** Asks the terminal to mark pasted text: a key of many lines is one answer, not many commands for the shell. */
const MARK_PASTES = "\u001b[?2004h";
const LEAVE_PASTES = "\u001b[?2004l";
// oxlint-disable-next-line no-control-regex -- keys such as arrows send these
const ESCAPE_SEQUENCE = /^\u001b(\[[0-9;?]*[ -/]*[@-~]|O.|[^[O])/u;

/** The beginning of a PEM key without its last line. An EC key may have a block with its parameters first. */
const OPEN_PEM = /^\s*-----BEGIN (?![^]*-----END (?!EC PARAMETERS))/u;

/** What is shown of an answer: all, nothing, or only the beginning of one of these words, to hide a pasted secret. */
export type Echo = boolean | readonly string[];

/** Reads one line at the terminal. Throws CommandRefused after Ctrl-C. */
export function askTerminal(question: string, { echo }: { echo: Echo }): Promise<string> {
  const { stdin, stderr } = process;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const line = new TypedLine();
  const decoder = new StringDecoder("utf8");
  const end = () => {
    stdin.off("data", take).off("end", cancel).pause();
    stdin.setRawMode(false);
    stderr.write(`${LEAVE_PASTES}\n`);
  };
  const cancel = () => {
    end();
    reject(new CommandRefused(EXIT.failed, "cancelled: nothing was changed"));
  };
  const take = (chunk: Buffer) => {
    const before = shown(line.text, echo);
    const state = line.type(decoder.write(chunk));
    stderr.write(redraw(before, shown(line.text, echo)));
    if (state === "cancelled") cancel();
    if (state !== "entered") return;
    end();
    resolve(line.text);
  };
  stdin.setRawMode(true);
  stderr.write(`${MARK_PASTES}${question}`);
  stdin.on("data", take).on("end", cancel).resume();
  return promise;
}

/** The text typed so far. Input after the line's end is dropped: it must not answer the next question. */
export class TypedLine {
  text = "";
  #pending = "";
  #isPasting = false;
  #lastKey = "";

  type(input: string): "typing" | "entered" | "cancelled" {
    this.#pending += input;
    while (this.#pending !== "") {
      const taken = this.#escape() ?? [...this.#pending][0] ?? "";
      if (taken === "") return "typing";
      this.#pending = this.#pending.slice(taken.length);
      const state = this.#take(taken);
      this.#lastKey = taken;
      if (state !== "typing") return state;
    }
    return "typing";
  }

  /** The escape sequence at the beginning, "" while it is incomplete, null without one. */
  #escape(): string | null {
    if (!this.#pending.startsWith("\u001b")) return null;
    return ESCAPE_SEQUENCE.exec(this.#pending)?.[0] ?? "";
  }

  #take(key: string): "typing" | "entered" | "cancelled" {
    if (key === PASTE_BEGINS || key === PASTE_ENDS) this.#isPasting = key === PASTE_BEGINS;
    else if (key === "\r" || key === "\n") {
      // For terminals that do not mark pasted text.
      if (!this.#isPasting && !OPEN_PEM.test(this.text)) return "entered";
      // A pasted line break may arrive as one character or as two.
      if (key === "\r" || this.#lastKey !== "\r") this.text += "\n";
    } else if (key === "\u0003" || (key === "\u0004" && this.text === "")) return "cancelled";
    else if (key === "\u007f" || key === "\b") this.text = [...this.text].slice(0, -1).join("");
    else if (key === "\u0015") this.text = "";
    else if (key >= " " || key === "\t") this.text += key;
    return "typing";
  }
}

function shown(text: string, echo: Echo): string {
  const isShown = typeof echo === "boolean" ? echo : echo.some((word) => word.startsWith(text));
  return isShown ? text : "";
}

function redraw(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  return "\b \b".repeat([...before].length) + after;
}
