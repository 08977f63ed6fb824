import { refused } from "./place.ts";
import type { Place } from "./place.ts";
import { interpreterOf } from "./shell-programs.ts";

/** Calls that run what they are given as code, by the last part of their name. */
const RUNS =
  /^(?:eval|exec|execfile|compile|runsource|runcode|__import__|import_module|system|popen[234]?|getoutput|getstatusoutput|create_subprocess_shell)$/u;
const RUNS_SQL = /^execute(?:many|script)?$/u;

interface Bracket {
  readonly callee: string | null;
  readonly templates: { index: number; kind: "bare" | "text"; firstArgument: boolean }[];
  readonly strings: string[];
  commas: number;
  shell: "no" | "named" | "yes";
}

/** What the brackets around a template mean for it: some calls would run the value. */
export class PythonCalls {
  readonly #open: Bracket[] = [];
  readonly #reasons = new Map<number, string>();

  get depth(): number {
    return this.#open.length;
  }

  /** An operator; `name` is the name right before it, if one stands there. */
  operator(char: string, name: string | null): void {
    const top = this.#open.at(-1);
    if (char === "(" || char === "[" || char === "{") {
      const callee = char === "(" ? name : null;
      this.#open.push({ callee, templates: [], strings: [], commas: 0, shell: "no" });
    } else if (char === ")" || char === "]" || char === "}") this.#close();
    else if (char === "," && top !== undefined) {
      top.commas += 1;
      if (top.shell === "named") top.shell = "yes";
    }
  }

  /** `shell=` and what follows it. */
  name(text: string): void {
    const top = this.#open.at(-1);
    if (top === undefined) return;
    if (text === "shell") top.shell = "named";
    else if (top.shell === "named") top.shell = text === "False" || text === "None" ? "no" : "yes";
  }

  string(content: string): void {
    this.#open.at(-1)?.strings.push(content);
  }

  template(index: number, kind: "bare" | "text"): void {
    const strings = this.#open.at(-1)?.strings ?? [];
    for (const bracket of this.#open) bracket.templates.push({ index, kind, firstArgument: bracket.commas === 0 });
    const [program] = strings;
    const option = strings.at(-1) ?? "";
    if (program === "ssh" || strings.some((name) => interpreterOf(lastPart(name))?.codeOption.test(option))) {
      this.#refuse(index, `${program} would run the value as code: pass it as an argument after the code`);
    }
  }

  /** Writes what was found out into the places. */
  finish(places: Place[]): void {
    while (this.#open.length > 0) this.#close();
    for (const [index, reason] of this.#reasons) places[index] = refused(reason);
  }

  #close(): void {
    const bracket = this.#open.pop();
    if (bracket === undefined) return;
    const { callee, templates } = bracket;
    for (const { index, kind, firstArgument } of templates) {
      if (callee !== null && RUNS.test(callee)) {
        this.#refuse(
          index,
          `${callee}(…) would run the value as code: give subprocess.run a list of arguments, with the value as one of them`,
        );
      } else if (bracket.shell !== "no") {
        this.#refuse(
          index,
          "with shell=True the value would become code: give a list of arguments, with the value as one of them",
        );
      } else if (callee !== null && RUNS_SQL.test(callee) && (kind === "text" || firstArgument)) {
        this.#refuse(index, `${callee}(…) would run the value as SQL: pass it as a parameter of the query`);
      }
    }
  }

  #refuse(index: number, reason: string): void {
    if (!this.#reasons.has(index)) this.#reasons.set(index, reason);
  }
}

function lastPart(path: string): string {
  return path.split("/").at(-1) ?? path;
}
