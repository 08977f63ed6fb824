import { hasTemplates } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

/** What the script itself says that a variable holds: a text, or the elements of an array. */
type Constant = string | readonly string[];

interface Known {
  readonly values: Constant[];
  /** The variable has one of these values wherever it is used, and no other. */
  sure: boolean;
  open: boolean;
}

const MAX_VALUES = 4;
const MAX_READINGS = 8;
const WHOLE = /^("?)\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?:\[[@*]\])?\})\1$/u;
const EXPANSION = /\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/gu;

/** Variables whose values are written in the script, and what commands become with them: `CURL="curl -fsS"; $CURL …`. */
export class ShellConstants {
  readonly #known = new Map<string, Known>();

  /** `isSure`: the assignment is sure to run before anything that follows it. */
  assign(name: string, value: Constant, isSure: boolean): void {
    const known = this.#of(name);
    const isKnown = known.values.some((other) => other === value);
    if (known.values.length >= MAX_VALUES && !isKnown) known.open = true;
    else if (!isKnown) known.values.push(value);
    known.sure ||= isSure;
  }

  /** The variable gets values that are not known. */
  open(name: string): void {
    this.#of(name).open = true;
  }

  /** The one text that a variable can have; null when that is not sure. */
  only(name: string): string | null {
    const known = this.#known.get(name);
    const [value] = known?.values ?? [];
    const isOne = known !== undefined && known.sure && !known.open && known.values.length === 1;
    return isOne && typeof value === "string" ? value : null;
  }

  /** A text with every `$name` replaced whose value is sure. */
  fill(text: string): string {
    return text.replace(
      EXPANSION,
      (whole, plain?: string, braced?: string) => this.only(plain ?? braced ?? "") ?? whole,
    );
  }

  /** What the words of a command may be; the words as they were written, unless these constants are sure to be all. */
  readings(words: readonly Word[]): readonly (readonly Word[])[] {
    let readings: Word[][] = [[]];
    for (const word of words) {
      const [only, ...others] = this.#formsOf(word);
      if (only !== undefined && others.length === 0) {
        // Nearly always. In place, so that a command of very many words takes no time squared.
        for (const reading of readings) reading.push(...only);
        continue;
      }
      const forms = [...(only === undefined ? [] : [only]), ...others];
      if (readings.length * forms.length > MAX_READINGS) return [words];
      readings = readings.flatMap((before) => forms.map((form) => [...before, ...form]));
    }
    return readings;
  }

  #formsOf(word: Word): (readonly Word[])[] {
    if (word.literal !== null || hasTemplates(word) || this.#known.size === 0) return [[word]];
    const whole = WHOLE.exec(word.raw);
    const name = whole?.[2] ?? whole?.[3];
    if (name === undefined) {
      const filled = /["'\\`(]/u.test(word.raw.replace(/^"(.*)"$/u, "$1")) ? word.raw : this.fill(word.raw);
      const text = filled.replaceAll('"', "");
      return filled === word.raw || text.includes("$") ? [[word]] : [split(word, text, word.raw.startsWith('"'))];
    }
    const known = this.#known.get(name);
    if (known === undefined || known.values.length === 0) return [[word]];
    const forms = known.values.map((value) =>
      typeof value === "string"
        ? split(word, value, whole?.[1] === '"')
        : value.map((element) => ({ ...word, raw: element, literal: element, residue: element, prefix: element })),
    );
    return known.sure && !known.open ? forms : [[word], ...forms];
  }

  #of(name: string): Known {
    const known = this.#known.get(name) ?? { values: [], sure: false, open: false };
    this.#known.set(name, known);
    return known;
  }
}

function split(word: Word, text: string, isQuoted: boolean): Word[] {
  const parts = isQuoted ? [text] : text.split(/[ \t\n]+/u).filter((part) => part !== "");
  return parts.map((part) => ({ ...word, raw: part, literal: part, residue: part, prefix: part }));
}
