import { refused } from "./place.ts";
import type { Place } from "./place.ts";
import { PythonBindings } from "./python-bindings.ts";
import { asImported } from "./python-imports.ts";
import type { PythonImports } from "./python-imports.ts";
import { closeElement, newBracket, nextElement } from "./python-brackets.ts";
import type { Bracket } from "./python-brackets.ts";
import { PythonRuns } from "./python-runs.ts";
import { HAZARDOUS_MODULES, REFLECTS, mustBeCalled, runsSql, sinkOf } from "./python-sinks.ts";

const CONSTANTS = new Set(["True", "False", "None"]);
const NAMES_ATTRIBUTE = /^(?:getattr|setattr|delattr|hasattr|attrgetter|methodcaller)$/u;

/** What the brackets around a template mean for it: some calls would run the value. */
export class PythonCalls {
  readonly #open: Bracket[] = [];
  readonly #imports: PythonImports;
  readonly #bindings = new PythonBindings();
  readonly #runs: PythonRuns;
  #inImport = false;

  /** `runsCode` tells whether Python code, with a value in a variable, may run that value. */
  constructor(imports: PythonImports, runsCode: (code: string) => boolean) {
    this.#imports = imports;
    this.#runs = new PythonRuns(imports, this.#bindings, runsCode);
  }

  get depth(): number {
    return this.#open.length;
  }

  endOfStatement(): void {
    this.#bindings.push("end", "", 0);
    this.#inImport = false;
  }

  /** An operator; `callee` is the name right before it, with its dots, if one stands there. */
  operator(char: string, callee: string | null): void {
    const top = this.#open.at(-1);
    if (char === "(" || char === "[" || char === "{") {
      const name = callee === null || char !== "(" ? null : asImported(callee, this.#imports);
      this.#open.push(newBracket(char, name, this.#bindings.length));
      this.#bindings.push("operator", char, this.#open.length - 1);
      return;
    }
    if (char === ")" || char === "]" || char === "}") this.#close();
    this.#bindings.push("operator", char, this.#open.length);
    if (top === undefined || /[)\]}]/u.test(char)) return;
    if (char === ",") nextElement(top);
    else if (char === "*" && top.element.tokens === 0) top.element.star = true;
    else if (!(char === "=" && top.element.keyword !== null && top.element.tokens === 0)) {
      top.element.tokens += 1;
      top.element.plain = false;
      if ((char === "+" || char === "%") && top.element.texts.length > 0) top.element.joins = true;
    }
  }

  /** A name with the names before its dots; `following` is the source behind it. */
  name(text: string, dotted: string, following: string): void {
    const isKeyword = /^\s*=(?!=)/u.test(following);
    const isCalled = /^\s*\(/u.test(following);
    if (text === "import" || (text === "from" && this.#bindings.atStatement)) this.#inImport = true;
    this.#bindings.push("name", text, this.#open.length);
    if (this.#inImport && this.#open.length <= 1) return;
    const top = this.#open.at(-1);
    const full = asImported(dotted, this.#imports);
    if (REFLECTS.test(text)) {
      this.#runs.refuseScript(`${text} finds functions in ways that cannot be followed: call them by their names`);
    } else if (!isCalled && !(isKeyword && top !== undefined) && mustBeCalled(full, this.#imports.modules)) {
      this.#runs.dynamic(text, "call it by its name, where it is needed");
    }
    if (text === dotted && !isKeyword && !isCalled && !/^\s*\./u.test(following)) this.#checkModule(full);
    if (isKeyword && top !== undefined) this.#runs.keyword(text);
    if (isCalled) this.#runs.called(text);
    if (text === "communicate" || text === "stdin") this.#runs.feeds = true;
    if (text === "environ" || text === "putenv") this.#runs.usesEnvironment = true;
    if (top === undefined) return;
    if (isKeyword && top.element.tokens === 0) {
      top.element.keyword = text;
      return;
    }
    const { element } = top;
    element.tokens += 1;
    element.plain = false;
    if (/^C?(?:Safe|Base)Loader$/u.test(text)) top.loadsSafely = true;
    if (CONSTANTS.has(text)) {
      element.off = element.tokens === 1 && text !== "True";
      return;
    }
    element.name = text === dotted ? text : null;
    for (const bracket of this.#open) bracket.element.dynamic = true;
  }

  /** A string; `fields` is the code in the braces of an f-string, null in other strings. */
  string(content: string, fields: string | null): void {
    this.#bindings.push("text", content, this.#open.length, fields !== null || content.includes("\0"));
    this.#runs.text(content);
    if (fields !== null) this.#runs.fields(fields);
    const top = this.#open.at(-1);
    if (top === undefined) return;
    const { element } = top;
    element.tokens += 1;
    element.texts.push(content);
    if (fields === null) return;
    element.plain = false;
    element.joins = true;
    for (const bracket of this.#open) bracket.element.dynamic = true;
  }

  template(index: number, kind: "bare" | "text"): void {
    if (kind === "bare") this.#bindings.push("template", "", this.#open.length);
    for (const bracket of this.#open) {
      bracket.element.templates.push(index);
      bracket.element.plain = false;
    }
    const top = this.#open.at(-1);
    if (top !== undefined && kind === "bare") top.element.tokens += 1;
  }

  /** Writes what was found out into the places. */
  finish(places: Place[]): void {
    while (this.#open.length > 0) this.#close();
    const { reasons, forAll } = this.#runs.finish();
    for (const [index, reason] of reasons) places[index] = refused(reason);
    if (forAll === null) return;
    places.forEach((place, index) => {
      if (place.type === "reference") places[index] = refused(forAll);
    });
  }

  #checkModule(name: string): void {
    const known = this.#imports.modules.has(name) || name === "__builtins__";
    if (!known || !HAZARDOUS_MODULES.test(name)) return;
    this.#runs.refuseScript(
      `${name} is handed on as a whole, and what is called in it cannot be followed: call its functions by their names`,
    );
  }

  #close(): void {
    const bracket = this.#open.pop();
    if (bracket === undefined) return;
    closeElement(bracket);
    const outer = this.#open.at(-1)?.element;
    if (outer !== undefined) {
      outer.tokens += 1;
      outer.plain = false;
      outer.child = bracket.callee === null ? bracket : null;
      outer.joins ||= bracket.callee === null && bracket.elements.some(({ joins }) => joins);
    }
    this.#runs.list(bracket);
    const { callee } = bracket;
    if (callee === null) return;
    const sink = sinkOf(callee, this.#imports.modules);
    if (sink !== null && !(bracket.loadsSafely && callee.startsWith("yaml."))) this.#runs.sink(bracket, callee, sink);
    this.#runs.shell(bracket);
    this.#runs.start(bracket, callee);
    if (runsSql(callee)) this.#runs.sql(bracket, callee);
    if (NAMES_ATTRIBUTE.test(callee)) this.#runs.attribute(bracket, callee);
  }
}
