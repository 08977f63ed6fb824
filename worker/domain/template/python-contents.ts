import type { PythonImports } from "./python-imports.ts";
import { TEMPLATE_MARK } from "./place.ts";
import { lastPart } from "./python-programs.ts";
import { interpreterOf } from "./shell-programs.ts";
import { locateInShell } from "./shell.ts";

/** Programs take code from these variables by themselves. */
const RUN_BY_PROGRAMS =
  /^(?:BASH_ENV|ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|LD_\w+|DYLD_\w+|PYTHONSTARTUP|PYTHONINSPECT|PERL5\w+|RUBYOPT|NODE_OPTIONS|JAVA_TOOL_OPTIONS|GIT_\w*(?:SSH|COMMAND|EDITOR|PAGER)\w*|EDITOR|VISUAL|PAGER|LESSOPEN|MAKEFLAGS)$/u;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\n": "", "\\": "\\", "'": "'", '"': '"' };

/** The texts of a script that are code of their own, or name files and variables. */
export class PythonContents {
  namesOption: string | null = null;
  readonly #runsCode: (code: string) => boolean;
  readonly #imports: PythonImports;
  readonly #texts: string[] = [];
  readonly #keywords: string[] = [];
  readonly #shell: string[] = [];
  readonly #python: string[] = [];
  readonly #files: string[] = [];
  #writes = false;

  constructor(imports: PythonImports, runsCode: (code: string) => boolean) {
    this.#imports = imports;
    this.#runsCode = runsCode;
  }

  text(content: string): void {
    this.#texts.push(content);
  }

  keyword(name: string): void {
    this.#keywords.push(name);
    if (name === "file") this.#writes = true;
  }

  /** The name of something that is called. */
  called(name: string): void {
    this.#writes ||= /^(?:write|writelines|write_text|write_bytes|dump|symlink|link|rename|move|copy\w*)$/u.test(name);
  }

  file(name: string): void {
    this.#files.push(name);
  }

  shell(code: string): void {
    this.#shell.push(code);
  }

  /** The code that a program gets as an argument. */
  code(program: string, code: string): void {
    if (/^python|^pypy/u.test(program)) this.#python.push(code);
    else if (interpreterOf(program)?.nested === "always") this.#shell.push(code);
  }

  /** Whether Python code, as it is written in a string, may run what its variables hold. */
  runsValue(written: string): boolean {
    const code = unescape(written);
    return code === null || this.#runsCode(code);
  }

  /** Why the script takes no templates; null when it may. */
  finish(usesEnvironment: boolean): string | null {
    if (this.namesOption !== null) {
      return `the script names ${this.namesOption} in quotes, so how programs start cannot be followed: write ${this.namesOption}=… in the call itself, or leave it out`;
    }
    const file = this.#writes ? this.#writtenFile() : undefined;
    if (file !== undefined) {
      return `the script writes files and runs ${file}, and the value could be in it: give the program its values as arguments`;
    }
    if (!usesEnvironment) return null;
    const names = [...this.#texts, ...this.#keywords];
    const taken = names.find((name) => RUN_BY_PROGRAMS.test(name));
    if (taken !== undefined) return `programs run what the variable ${taken} holds: use another name, or leave it out`;
    if (this.#python.some((code) => this.runsValue(code)) || this.#shell.some((code) => runsVariables(code, names))) {
      return "code that the script starts could run what the environment holds, and the value could be in it: give it values as arguments, and use them as texts only";
    }
    return null;
  }

  /** A file that is run, or imported, and that another text names, too. */
  #writtenFile(): string | undefined {
    const commands = this.#shell.flatMap((code) => code.split(/[\s;&|()<>"']+/u)).filter((word) => /[./]/u.test(word));
    const texts = this.#texts.map(lastPart);
    const count = (name: string) => texts.filter((text) => text === name).length;
    const runs = (name: string) => this.#files.filter((file) => lastPart(file) === name).length;
    return (
      this.#files.map(lastPart).find((name) => count(name) > runs(name)) ??
      commands.map(lastPart).find((name) => name !== "" && count(name) > 0) ??
      [...this.#imports.modules].map((module) => `${module}.py`).find((name) => count(name) > 0)
    );
  }
}

/** Whether shell code may run what these variables of the environment hold: the shell's own rules say so. */
function runsVariables(written: string, names: readonly string[]): boolean {
  const code = unescape(written);
  if (code === null) return true;
  const variables = [...new Set(names)].filter((name) => /^[A-Za-z_]\w*$/u.test(name) && code.includes(name));
  if (variables.length === 0) return false;
  const exported = variables.map((name) => `export ${name}=${TEMPLATE_MARK}\n`).join("");
  return locateInShell("bash", exported + code, variables.length).places.some(({ type }) => type === "refused");
}

/** The text that a string stands for; null when it has escapes that are not followed here. */
function unescape(written: string): string | null {
  const text = written.replaceAll(/\\([\s\S])/gu, (escape, char: string) => ESCAPES[char] ?? escape);
  return /\\[xuUN0-7]/u.test(written) ? null : text;
}
