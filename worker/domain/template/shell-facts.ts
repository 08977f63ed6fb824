import { readsCode } from "./shell-programs.ts";
import type { ShellState } from "./shell-state.ts";
import { ARRAY_ASSIGNMENT, isAssignment, templatesOf, readingsOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

const DECLARATION = /^(?:declare|typeset|local|export|readonly)$/u;
/** Integers evaluate what is assigned to them, and references to names what they name. */
const EVALUATING_OPTION = /^[-+][A-Za-z]*[in][A-Za-z]*$/u;
const ARRAY_OPTION = /^[-+][A-Za-z]*[aA][A-Za-z]*$/u;

/** What holds for a whole script, and decides about places elsewhere in it. */
export class ShellFacts {
  /** Templates that give a variable its value: harmless unless the script declares an integer. */
  readonly #assigned: number[] = [];
  /** Those that do so as an argument of `declare` and the like: harmless unless the script has arrays. */
  readonly #declared: number[] = [];
  /** Templates whose values are piped into something: harmless unless the script pipes into a shell. */
  readonly #piped: number[] = [];
  #hasIntegers = false;
  #hasArrays = false;
  #readsCode = false;

  noteCommand(words: readonly Word[]): void {
    const names = new Set(words.map(({ literal }) => literal ?? ""));
    const declares = [...names].some((name) => DECLARATION.test(name));
    this.#hasIntegers ||= declares && !names.has("export") && words.some(({ raw }) => EVALUATING_OPTION.test(raw));
    this.#hasArrays ||=
      names.has("mapfile") ||
      names.has("readarray") ||
      words.some(({ raw }) => ARRAY_ASSIGNMENT.test(raw)) ||
      ((declares || names.has("read")) && words.some(({ raw }) => ARRAY_OPTION.test(raw)));
    // What `$SHELL` or `$BASH` names is a shell.
    this.#readsCode ||= readingsOf(words).some((known) => readsCode(known.map(({ literal }) => literal)));
    this.#readsCode ||= readsCode(words.map(({ literal, raw }) => literal ?? (/SHELL|BASH/u.test(raw) ? "sh" : null)));
    for (const word of words) {
      if (!isAssignment(word)) continue;
      this.#assigned.push(...templatesOf(word));
      if (declares) this.#declared.push(...templatesOf(word));
    }
  }

  notePiped(templates: readonly number[]): void {
    this.#piped.push(...templates);
  }

  /** Refuses what these facts make unsafe; at the end, when all are known. */
  apply(state: ShellState): void {
    if (this.#hasIntegers) {
      refuseAll(
        state,
        this.#assigned,
        "this script declares integers or names, and assigning to one evaluates the value: declare it without options",
      );
    }
    if (this.#hasArrays) {
      refuseAll(
        state,
        this.#declared,
        "this script has arrays, and declaring one evaluates the value: write name={{…}} on a line of its own",
      );
    }
    if (!this.#readsCode) return;
    const all = state.source.includes(">(")
      ? state.templatesBetween(0, state.source.length)
      : [...this.#piped, ...state.input];
    refuseAll(
      state,
      all,
      "this script has a shell or another interpreter run what it reads, and the value could get there: pass it as an argument",
    );
  }
}

function refuseAll(state: ShellState, templates: readonly number[], reason: string): void {
  for (const index of templates) if (state.places.get(index)?.type === "reference") state.refuse(index, reason);
}
