import { refused } from "./place.ts";
import type { Place } from "./place.ts";
import { interpreterOf } from "./shell-programs.ts";
import type { Interpreter } from "./shell-programs.ts";

/** Calls that run what they are given as code, by their names, with the module where others have the same name. */
const RUNS =
  /^(?:.*\.)?(?:eval|exec|execfile|runsource|runcode|__import__|import_module|system|popen[234]?|getoutput|getstatusoutput|create_subprocess_shell|run_path|run_module|CDLL|LoadLibrary|from_string|render_template_string)$|^(?:builtins\.)?compile$|^(?:timeit|cProfile|pdb)\.\w+$|^(?:jinja2\.)?Template$|^(?:c?[pP]ickle|marshal|dill|jsonpickle)\.(?:loads|decode)$|^yaml\.(?:load|load_all|full_load|unsafe_load)$/u;
const RUNS_BY_NAME =
  /^(?:eval|exec|execfile|__import__|import_module|system|popen[234]?|getoutput|getstatusoutput|create_subprocess_shell|run_path|run_module)$/u;
const STARTS =
  /^(?:subprocess|sp)\.run$|^(?:.*\.)?(?:call|check_call|check_output|Popen|create_subprocess_exec|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)$/u;
const RUNS_SQL = /(?:^|\.)execute(?:many|script)?$/u;
const NAMES_ATTRIBUTE = /^(?:getattr|setattr|delattr|hasattr|attrgetter|methodcaller)$/u;
/** Of one list; nobody starts more. */
const MAX_INTERPRETERS = 10;
const CONSTANTS = new Set(["True", "False", "None"]);

interface Bracket {
  readonly callee: string | null;
  /** The first argument of a call that starts a program: its first element names the program. */
  readonly namesProgram: boolean;
  readonly templates: { index: number; kind: "bare" | "text"; firstArgument: boolean; program: boolean }[];
  readonly strings: string[];
  /** The interpreters among them. */
  readonly interpreters: { readonly name: string; readonly interpreter: Interpreter }[];
  commas: number;
  /** The element that an interpreter named before it runs as code: `["bash", "-c", code]`; for ssh all others. */
  code: { readonly program: string; readonly from: number; readonly to: number } | null;
  shell: "no" | "named" | "yes";
  /** Names, and names in f-strings: this is known only when the script runs. */
  dynamic: boolean;
  /** The first argument is put together from texts and something else. */
  joinsFirst: boolean;
  last: "nothing" | "string" | "name" | "operator";
}

/** What the brackets around a template mean for it: some calls would run the value. */
export class PythonCalls {
  readonly #open: Bracket[] = [];
  readonly #reasons = new Map<number, string>();
  /** The first call that runs what is put together while the script runs, wherever its parts come from. */
  #dynamic: string | null = null;

  get depth(): number {
    return this.#open.length;
  }

  /** An operator; `callee` is the name right before it, with its dots, if one stands there. */
  operator(char: string, callee: string | null): void {
    const top = this.#open.at(-1);
    if (char === "(" || char === "[" || char === "{") this.#push(char, callee);
    else if (char === ")" || char === "]" || char === "}") this.#close();
    else if (top !== undefined) {
      if (char === ",") {
        top.commas += 1;
        if (top.shell === "named") top.shell = "yes";
      } else if ((char === "+" || char === "%") && top.strings.length > 0) top.joinsFirst ||= top.commas === 0;
      // args=[…] is the first argument, too.
      if (char !== "=") top.last = "operator";
    }
  }

  #push(char: string, callee: string | null): void {
    const outer = this.#open.at(-1);
    this.#open.push({
      callee: char === "(" ? callee : null,
      namesProgram:
        (char === "(" && STARTS.test(callee ?? "")) ||
        (outer?.namesProgram === true && outer.commas === 0 && outer.last === "nothing" && callee === null),
      templates: [],
      strings: [],
      interpreters: [],
      commas: 0,
      code: null,
      shell: "no",
      dynamic: false,
      joinsFirst: false,
      last: "nothing",
    });
  }

  /** A name; `isKeyword` when a = follows, as in `shell=`, `isCalled` when a bracket does. */
  name(text: string, isKeyword: boolean, isCalled: boolean): void {
    // `run = eval`, `map(eval, …)`: under another name it would not be known again.
    if (RUNS_BY_NAME.test(text) && !isCalled) this.#dynamic ??= text;
    const top = this.#open.at(-1);
    if (top === undefined) return;
    if (text === "shell" && isKeyword) top.shell = "named";
    else if (top.shell === "named") top.shell = text === "False" || text === "None" ? "no" : "yes";
    if (isKeyword || CONSTANTS.has(text)) return;
    this.#noteDynamic();
    top.last = "name";
  }

  /** A string; `hasFields` when it is an f-string with something in braces. */
  string(content: string, hasFields: boolean): void {
    const top = this.#open.at(-1);
    if (top === undefined) return;
    if (hasFields) {
      this.#noteDynamic();
      top.joinsFirst ||= top.commas === 0;
    }
    top.strings.push(content);
    if (content === "ssh" && top.strings.length === 1) top.code = { program: content, from: 1, to: Infinity };
    const runs = top.interpreters.find(({ interpreter: { codeOption } }) => codeOption.test(content));
    if (runs !== undefined) top.code ??= { program: runs.name, from: top.commas + 1, to: top.commas + 1 };
    const interpreter = interpreterOf(lastPart(content));
    if (interpreter !== null && top.interpreters.length < MAX_INTERPRETERS)
      top.interpreters.push({ name: content, interpreter });
    top.last = "string";
  }

  template(index: number, kind: "bare" | "text"): void {
    const top = this.#open.at(-1);
    for (const bracket of this.#open) {
      const firstArgument = bracket.commas === 0;
      bracket.templates.push({
        index,
        kind,
        firstArgument,
        program: bracket === top && top.namesProgram && firstArgument,
      });
    }
    if (top === undefined) return;
    const program = this.#runsHere();
    if (program !== null) {
      this.#refuse(index, `${program} would run the value as code: pass it as an argument after the code`);
    }
    top.last = "name";
  }

  /** Writes what was found out into the places. */
  finish(places: Place[]): void {
    while (this.#open.length > 0) this.#close();
    for (const [index, reason] of this.#reasons) places[index] = refused(reason);
    if (this.#dynamic === null) return;
    const reason =
      `the script gives ${this.#dynamic} something that is put together while it runs, and the value could be in it: ` +
      "give subprocess.run a list of arguments that begins with the program's name, without shell=True";
    places.forEach((place, index) => {
      if (place.type === "reference") places[index] = refused(reason);
    });
  }

  /** The program that runs what is read now as code. */
  #runsHere(): string | null {
    const found = this.#open.find(({ code, commas }) => code !== null && commas >= code.from && commas <= code.to);
    return found?.code?.program ?? null;
  }

  #noteDynamic(): void {
    const program = this.#runsHere();
    if (program !== null) this.#dynamic ??= program;
    for (const bracket of this.#open) bracket.dynamic = true;
  }

  #close(): void {
    const bracket = this.#open.pop();
    if (bracket === undefined) return;
    const outer = this.#open.at(-1);
    if (outer !== undefined) {
      outer.last = "name";
      if (bracket.joinsFirst && bracket.callee === null && outer.commas === 0) outer.joinsFirst = true;
      if (outer.shell === "named") outer.shell = "yes";
    }
    const { callee, templates, dynamic } = bracket;
    const runs = callee !== null && RUNS.test(callee);
    if (runs && dynamic) this.#dynamic ??= `${callee}(…)`;
    if (bracket.shell !== "no" && dynamic) this.#dynamic ??= "shell=True";
    if (callee !== null && RUNS_SQL.test(callee) && bracket.joinsFirst && dynamic) this.#dynamic ??= `${callee}(…)`;
    for (const { index, kind, firstArgument, program } of templates) {
      if (runs) {
        this.#refuse(
          index,
          `${callee}(…) would run the value as code: give subprocess.run a list of arguments, with the value as one of them`,
        );
      } else if (bracket.shell !== "no") {
        this.#refuse(
          index,
          "with shell=True the value would become code: give a list of arguments, with the value as one of them",
        );
      } else if (program) {
        this.#refuse(
          index,
          "here it would name the program that runs: write the program itself, and use the template for its arguments",
        );
      } else if (callee !== null && RUNS_SQL.test(callee) && (kind === "text" || firstArgument)) {
        this.#refuse(index, `${callee}(…) would run the value as SQL: pass it as a parameter of the query`);
      } else if (
        callee !== null &&
        NAMES_ATTRIBUTE.test(callee) &&
        (!firstArgument || !/^..?tattr|^has|^del/u.test(callee))
      ) {
        this.#refuse(
          index,
          `${callee}(…) would take the value as the name of an attribute: look it up in a dictionary of what may be named`,
        );
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
