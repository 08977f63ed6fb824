import type { PythonBindings } from "./python-bindings.ts";
import { newElement, onlyList, onlyName, wordsOf } from "./python-brackets.ts";
import type { Bracket, Element } from "./python-brackets.ts";
import { PythonContents } from "./python-contents.ts";
import type { PythonImports } from "./python-imports.ts";
import { codeIn, filesRun, lastPart, mayTakeCode, programIndex } from "./python-programs.ts";
import type { Argument, CodeRange } from "./python-programs.ts";
import { HAZARDOUS_MODULES, REFLECTS, mustBeCalled, programOfSh, startsProgram } from "./python-sinks.ts";
import type { Sink } from "./python-sinks.ts";
import { interpreterOf, readsCode } from "./shell-programs.ts";

const START_ADVICE =
  'write the list where the program starts, with the program first: subprocess.run(["program", *more, {{…}}])';
const PROGRAM =
  "here it would name the program that runs: write the program itself, and use the template for its arguments";
const IN_SHELL = "with shell=True the value would become code: give a list of arguments, with the value as one of them";
const SQL_ADVICE =
  "write the whole query as one text with ? or %s in it, give it its values as parameters, and choose between written-out queries where names differ";

interface Findings {
  /** By the numbers of templates. */
  readonly reasons: ReadonlyMap<number, string>;
  /** Why no template of the script may stand. */
  readonly forAll: string | null;
}

/** What a script runs: programs, code, queries; and whether a value could be in it. */
export class PythonRuns {
  feeds = false;
  usesEnvironment = false;
  readonly #imports: PythonImports;
  readonly #bindings: PythonBindings;
  readonly #contents: PythonContents;
  readonly #reasons = new Map<number, string>();
  /** The lists of the script, by the numbers of their first tokens. */
  readonly #lists = new Map<number, Bracket>();
  /** Names that programs and queries are given by, with the call. */
  readonly #programs = new Map<string, string>();
  readonly #queries = new Map<string, string>();
  readonly #readers: string[] = [];
  #forAll: string | null = null;

  constructor(imports: PythonImports, bindings: PythonBindings, runsCode: (code: string) => boolean) {
    this.#imports = imports;
    this.#bindings = bindings;
    this.#contents = new PythonContents(imports, runsCode);
    const star = imports.stars.find((module) => module !== "os" && HAZARDOUS_MODULES.test(module));
    if (star !== undefined)
      this.refuseScript(`from ${star} import * hides what is called: import the names themselves`);
  }

  refuseScript(reason: string): void {
    this.#forAll ??= reason;
  }

  /** The script gives `what` something that is put together while it runs, wherever its parts come from. */
  dynamic(what: string, advice: string): void {
    this.refuseScript(
      `the script gives ${what} something that is put together while it runs, and the value could be in it: ${advice}`,
    );
  }

  text(content: string): void {
    this.#contents.text(content);
    if (content === "shell" || content === "executable") this.#contents.namesOption = content;
  }

  called(name: string): void {
    this.#contents.called(name);
  }

  fields(code: string): void {
    if (this.#contents.runsValue(code)) this.dynamic("an f-string", "call what runs code outside of texts");
  }

  keyword(name: string): void {
    this.#contents.keyword(name);
    if (name === "input" || name === "stdin") this.feeds = true;
    if (name === "env") this.usesEnvironment = true;
    if (name === "executable") this.dynamic("executable=", START_ADVICE);
  }

  /** A list, or the arguments of a call: `["bash", "-c", code]`. */
  list(bracket: Bracket): void {
    const { callee, char, elements, start } = bracket;
    if (callee === null) this.#lists.set(start, bracket);
    const words = wordsOf(elements);
    const isList = callee === null && char !== "{";
    for (const range of codeIn(words)) {
      const byOption = range.isFile === undefined && range.to !== Infinity;
      const known = interpreterOf(lastPart(range.program)) !== null;
      if (!byOption || !(known || isList)) continue;
      this.#code(elements, range);
      if (isList && range.from >= elements.length) this.dynamic(range.program, START_ADVICE);
    }
    const program = programOfSh(callee);
    if (program !== null)
      this.#arguments([program, ...words], [{ ...newElement(), texts: [program], tokens: 1 }, ...elements]);
  }

  sink(bracket: Bracket, callee: string, { runs, advice }: Sink): void {
    for (const element of bracket.elements) {
      for (const index of element.templates) this.#refuse(index, `${callee}(…) would run the value as code: ${advice}`);
      if (element.dynamic) this.dynamic(`${callee}(…)`, advice);
      const text = element.plain ? element.texts.join("") : "";
      if (runs === "python" && text !== "" && this.#contents.runsValue(text)) this.dynamic(`${callee}(…)`, advice);
      if (runs === "module" && HAZARDOUS_MODULES.test(text)) this.dynamic(`${callee}(…)`, "use an import statement");
      if (runs === "module") this.#contents.file(text);
      if (runs === "shell" && text !== "") this.#contents.shell(text);
    }
  }

  /** `shell=True`, whatever it is given to. */
  shell({ elements, callee }: Bracket): void {
    const option = elements.find(({ keyword }) => keyword === "shell");
    const starts = startsProgram(callee);
    if (option === undefined || option.off || (option.plain && !starts)) return;
    for (const index of elements.flatMap(({ templates }) => templates)) this.#refuse(index, IN_SHELL);
    if (!starts || elements.some(({ dynamic }) => dynamic)) this.dynamic("shell=True", START_ADVICE);
    const [text] = wordsOf(elements);
    if (text != null) this.#contents.shell(text);
  }

  /** A call that starts a program: which one must be written out. */
  start({ elements }: Bracket, callee: string): void {
    if (!startsProgram(callee)) return;
    const isShell = elements.some(({ keyword, off }) => keyword === "shell" && !off);
    const own = elements.filter(({ keyword }) => keyword === null || keyword === "args");
    const name = lastName(callee);
    const given = name.startsWith("spawn") && name !== "spawn" ? own.slice(1) : own;
    const [first, second] = given;
    if (first === undefined) return;
    const list = onlyList(first);
    const [text] = wordsOf([first]);
    if (text != null) {
      // execl names the program twice, execv has a list behind it.
      const separate = /^(?:execl|spawnl)/u.test(name)
        ? given.slice(2)
        : /^(?:execv|spawnv|posix)/u.test(name)
          ? []
          : given.slice(1);
      const listed = /^(?:execv|spawnv|posix)/u.test(name) ? second : undefined;
      const behind = listed === undefined ? [] : (onlyList(listed)?.elements.slice(1) ?? [listed]);
      const all = /^(?:exec|spawn|posix|create_|run_process)/u.test(name) ? [first, ...separate, ...behind] : [first];
      if (!isShell) this.#arguments(wordsOf(all), all);
    } else if (list !== null) this.#program(list.elements, callee);
    else if (onlyName(first) !== null && first.templates.length === 0) {
      this.#programs.set(onlyName(first) ?? "", callee);
    } else {
      for (const index of first.templates) this.#refuse(index, PROGRAM);
      if (first.dynamic || first.child !== null) this.dynamic(`${callee}(…)`, START_ADVICE);
    }
  }

  sql({ elements }: Bracket, callee: string): void {
    const [query] = elements;
    if (query === undefined) return;
    for (const index of query.templates) {
      this.#refuse(index, `${callee}(…) would run the value as SQL: pass it as a parameter of the query`);
    }
    const name = onlyName(query);
    if (name !== null) this.#queries.set(name, callee);
    else if (query.dynamic && query.joins) this.dynamic(`${callee}(…)`, SQL_ADVICE);
  }

  /** `getattr(os, "system")`, and attributes that values name. */
  attribute({ elements }: Bracket, callee: string): void {
    const names = /^..?tattr|^has|^del/u.test(callee) ? elements.slice(1, 2) : elements.slice(0, 1);
    for (const index of names.flatMap(({ templates }) => templates)) {
      this.#refuse(
        index,
        `${callee}(…) would take the value as the name of an attribute: look it up in a dictionary of what may be named`,
      );
    }
    if (!/^(?:getattr|attrgetter|methodcaller)$/u.test(callee)) return;
    const [name] = names;
    if (name === undefined || name.templates.length > 0) return;
    const text = wordsOf([name])[0];
    const runs = text == null || REFLECTS.test(text) || mustBeCalled(`object.${text}`, this.#imports.modules);
    if (runs) this.refuseScript(`${callee}(…) may find a function that runs code: call functions by their names`);
  }

  finish(): Findings {
    for (const [name, callee] of this.#programs) this.#namedProgram(name, callee);
    for (const [name, callee] of this.#queries) {
      if (this.#bindings.isJoinedText(name)) this.dynamic(`${callee}(…)`, SQL_ADVICE);
    }
    const [reader] = this.#readers;
    if (this.feeds && reader !== undefined) {
      this.refuseScript(
        `${reader} runs what it reads, and the value could be in it: give it code that is written out, and values as arguments`,
      );
    }
    const reason = this.#contents.finish(this.usesEnvironment);
    if (reason !== null) this.refuseScript(reason);
    return { reasons: this.#reasons, forAll: this.#forAll };
  }

  /** `subprocess.run(command)`: what the name stands for. */
  #namedProgram(name: string, callee: string): void {
    const found = this.#bindings.listsOf(name);
    if (found === null) {
      this.dynamic(`${callee}(…)`, START_ADVICE);
      return;
    }
    for (const start of found.starts) {
      const list = this.#lists.get(start);
      if (list === undefined) this.dynamic(`${callee}(…)`, START_ADVICE);
      else {
        this.#program(list.elements, callee);
        const grows = found.extended || this.#bindings.addsToLists;
        if (grows && mayTakeCode(wordsOf(list.elements))) this.dynamic(`${callee}(…)`, START_ADVICE);
      }
    }
  }

  /** The elements of a list that names a program and its arguments. */
  #program(elements: readonly Element[], callee: string): void {
    const words = wordsOf(elements);
    const program = elements[programIndex(words)];
    if (program === undefined) return;
    for (const index of program.templates) this.#refuse(index, PROGRAM);
    const name = program.star ? onlyName(program) : null;
    if (name !== null) {
      const lists = this.#bindings.listsOf(name);
      const starts = lists?.starts.map((start) => this.#lists.get(start)?.elements ?? []) ?? [];
      if (lists === null || starts.some((list) => mayTakeCode(wordsOf(list))))
        this.dynamic(`${callee}(…)`, START_ADVICE);
    } else if (program.dynamic || (!program.plain && program.templates.length === 0)) {
      this.dynamic(`${callee}(…)`, START_ADVICE);
    }
    this.#arguments(words, elements);
  }

  #arguments(words: readonly Argument[], elements: readonly Element[]): void {
    for (const range of codeIn(words)) this.#code(elements, range);
    for (const file of filesRun(words)) this.#contents.file(file);
    if (readsCode(words)) this.#readers.push(words.find((word) => word !== null) ?? "a program");
  }

  #code(elements: readonly Element[], { program, from, to, isFile }: CodeRange): void {
    for (const element of elements.slice(from, to === Infinity ? undefined : to + 1)) {
      for (const index of element.templates) {
        this.#refuse(index, `${program} would run the value as code: pass it as an argument after the code`);
      }
      if (element.dynamic) this.dynamic(program, START_ADVICE);
      if (isFile === undefined && element.plain && element.texts.length > 0)
        this.#contents.code(lastPart(program), element.texts.join(""));
    }
  }

  #refuse(index: number, reason: string): void {
    if (!this.#reasons.has(index)) this.#reasons.set(index, reason);
  }
}

function lastName(dotted: string): string {
  return dotted.split(".").at(-1) ?? dotted;
}
