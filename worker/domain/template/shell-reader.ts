import { Unclear } from "./place.ts";
import type { ShellDialect } from "./shell.ts";
import { ShellFacts } from "./shell-facts.ts";
import { CommandList } from "./shell-list.ts";
import { readCase, readFor } from "./shell-compounds.ts";
import type { CommandPlace } from "./shell-builtins.ts";
import { acceptWords } from "./shell-places.ts";
import { interpreterOf } from "./shell-programs.ts";
import { readHereDocuments, readRedirection } from "./shell-redirections.ts";
import { ShellState } from "./shell-state.ts";
import type { ShellHooks, Stop } from "./shell-state.ts";
import { readTest } from "./shell-tests.ts";
import type { Word } from "./shell-word.ts";
import { isAssignment, programOf } from "./shell-word.ts";
import { readArithmetic, readHereBody, readWord } from "./shell-words.ts";

/** After these a command begins. */
const BEFORE_COMMAND = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{"]);
const AFTER_COMMAND = new Set(["fi", "done", "}"]);
const OPENING = new Set(["if", "while", "until", "for", "{"]);

/** Each one's arguments are looked through. */
const MAX_INTERPRETERS = 10;
/** A script in a script is read again from its beginning, so few levels are enough to be slow. */
const NESTED_DEPTH = 20;

/** Reads a shell script once, from its beginning to its end, and finds a place for every template in it. */
export class ShellReader extends ShellState {
  readonly #facts: ShellFacts;
  readonly #isOutermost: boolean;
  #hereDocumentsWaitOutside = false;
  /** A function's name was read; its body follows. */
  #pendingFunction: string | null = null;

  constructor(dialect: ShellDialect, source: string, outer: ShellReader | null = null, isBeginning = false) {
    const hooks: ShellHooks = {
      readCommands: (_, stop) => this.#readCommands(stop),
      readHereBody: (from, to) => this.#readHereBody(from, to),
      readNested: (inner, code) => this.#readNested(inner, code),
      noteBody: (input, text) => this.#facts.bodies.noteText(input, text),
    };
    super(dialect, source, hooks, outer, isBeginning);
    this.#facts = outer === null ? new ShellFacts() : outer.#facts;
    this.#isOutermost = outer === null;
  }

  readScript(): void {
    this.#readCommands("end");
    this.#facts.readBodies(this.flows, (code, scope) => this.#readNested("bash", code, scope));
    this.#facts.apply(this);
  }

  /** Its end is found before anything in it is read, so what is open in it cannot go on behind it. */
  #readHereBody(from: number, to: number): boolean {
    return this.#tryInside(() => {
      const body = new ShellReader(this.dialect, this.source.slice(0, to), this, true);
      body.at = from;
      readHereBody(body);
    });
  }

  /** Commands up to `stop`, which is read too, but for `esac`: who reads the case looks for that. */
  #readCommands(stop: Stop): boolean {
    const { numbers, positions } = this.flows;
    const leave = this.#enter(stop);
    const list = new CommandList(this, stop, this.#isOutermost);
    const finish = () => {
      const { words, place } = list.finish();
      this.#finishCommand(words, place);
    };
    const end = () => {
      list.finishLine();
      leave();
      return list.printsNumber;
    };
    for (;;) {
      this.skipBlanks();
      list.beginPipeline();
      if (this.ended) {
        if (stop !== "end") this.unclear(stop === ")" ? "a bracket is not closed" : "case is not closed by esac");
        finish();
        return end();
      }
      const { char } = this;
      if (this.#pendingFunction !== null && ";&|)<>".includes(char)) this.unclear("a function's body is not plain");
      if (char === "\n") {
        finish();
        numbers.push({ type: "operator", raw: ";" });
        list.begins ||= !list.piped;
        this.#readNewline();
        if (!list.piped) list.finishLine();
      } else if (char === "#") this.#readComment();
      else if (char === ";") {
        finish();
        if (this.skip(";;&") || this.skip(";;") || this.skip(";&")) {
          if (stop !== "caseItem") this.unclear(";; stands outside case");
          numbers.push({ type: "armEnd", fallsThrough: this.source[this.at - 1] === "&" });
          return end();
        }
        numbers.push({ type: "operator", raw: ";" });
        this.at += 1;
        list.begins = true;
      } else if (this.startsWith("&>")) {
        this.onlyInBash("&>");
        readRedirection(this, list.words);
      } else if (char === "&" || char === "|") {
        finish();
        list.readOperator();
      } else if (char === ")") {
        if (stop !== ")") this.unclear("a bracket is closed that was not opened");
        finish();
        this.at += 1;
        return end();
      } else if (char === "(") {
        if (list.words.length === 0) list.notePrinting();
        this.#readBracket(list.words);
      } else if ((char === "<" || char === ">") && this.source[this.at + 1] !== "(") readRedirection(this, list.words);
      else {
        const word = readWord(this);
        if (word === null) this.unclear("a word was expected");
        list.piped = false;
        const outerScope = positions.scope;
        if (this.#pendingFunction !== null) this.#enterFunction(OPENING.has(word.raw));
        if (list.words.length > 0) list.words.push(word);
        else if (word.raw === "esac") {
          if (stop !== "caseItem") this.unclear("esac stands outside case");
          this.at = word.start;
          return end();
        } else if (!this.#readKeyword(word)) list.words.push(word);
        else if (OPENING.has(word.raw)) list.open(word.raw, outerScope);
        else if (AFTER_COMMAND.has(word.raw)) list.close();
        else if (word.raw === "case") list.notePrinting();
        else list.begins ||= BEFORE_COMMAND.has(word.raw) && word.raw !== "!";
      }
    }
  }

  /** Brackets have here-documents of their own. Gives what must be done when they are left. */
  #enter(stop: Stop): () => void {
    const { own } = this.flows.inputs;
    this.flows.enterCommands();
    this.deepen(1);
    const leave = () => {
      this.deepen(-1);
      this.flows.leaveCommands();
      this.flows.inputs.own = own;
    };
    if (stop !== ")") return leave;
    this.flows.numbers.push({ type: "open", alone: false });
    const [outerDocuments, outerWaiting] = [this.hereDocuments, this.#hereDocumentsWaitOutside];
    this.#hereDocumentsWaitOutside ||= outerDocuments.length > 0;
    this.hereDocuments = [];
    return () => {
      if (this.hereDocuments.length > 0) this.unclear("a here-document does not begin before its bracket ends");
      this.hereDocuments = outerDocuments;
      this.#hereDocumentsWaitOutside = outerWaiting;
      this.flows.numbers.push({ type: "close" });
      leave();
    };
  }

  /** The body of a function begins. */
  #enterFunction(isPlain: boolean): void {
    const name = this.#pendingFunction;
    if (name === null) return;
    if (!isPlain) this.unclear("a function's body is not plain");
    this.#pendingFunction = null;
    this.flows.numbers.push({ type: "function", name });
    this.flows.positions.enter(name);
  }

  #readNewline(): void {
    if (this.#hereDocumentsWaitOutside) this.unclear("a here-document begins before this bracket and ends in it");
    this.at += 1;
    readHereDocuments(this);
  }

  #finishCommand(words: readonly Word[], place: CommandPlace): void {
    if (words.filter((word) => interpreterOf(programOf(word)) !== null).length > MAX_INTERPRETERS)
      this.unclear("one command names too many interpreters");
    this.flows.mentions(words.slice(1));
    this.#facts.readScripts(words, this.flows, (code, scope) => this.#readNested("bash", code, scope));
    this.#facts.noteCommand(words, this.flows, place);
    acceptWords(this, words);
    const name = words.find((word) => !isAssignment(word))?.literal;
    if (name != null) this.flows.numbers.push({ type: "command", name });
  }

  /** Reads the code of another shell, which gets values by name: it has no templates of its own. False if it is not plain. */
  #readNested(dialect: ShellDialect, code: string, scope = this.flows.positions.scope): boolean {
    return this.#tryInside(() => {
      const nested = new ShellReader(dialect, code, this);
      nested.deepen(NESTED_DEPTH);
      this.flows.positions.scope = scope;
      this.flows.numbers.push({ type: "open", alone: true });
      nested.#readCommands("end");
      this.flows.numbers.push({ type: "close" });
    });
  }

  #tryInside(read: () => void): boolean {
    const { depth, numbers, inputs, positions } = this.flows;
    const [events, input, scope] = [numbers.length, inputs.own, positions.scope];
    try {
      read();
      return true;
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      this.flows.leaveTo(depth);
      numbers.length = events;
      return false;
    } finally {
      inputs.own = input;
      positions.scope = scope;
    }
  }

  #readComment(): void {
    const end = this.source.indexOf("\n", this.at);
    const to = end < 0 ? this.source.length : end;
    this.placeBetween(this.at, to, { type: "comment" });
    this.at = to;
  }

  /** `(` where no word began: a group, arithmetic, or the brackets of a function's name. */
  #readBracket(words: Word[]): void {
    const [name] = words;
    if (name === undefined) {
      const { positions } = this.flows;
      const outer = positions.scope;
      this.#enterFunction(!this.startsWith("(("));
      if (this.startsWith("((")) {
        this.onlyInBash("((…))");
        this.at += 2;
        readArithmetic(this);
      } else {
        this.at += 1;
        this.#readCommands(")");
      }
      positions.scope = outer;
      return;
    }
    this.at += 1;
    this.skipBlanks();
    if (words.length !== 1 || name.literal === null || isAssignment(name) || !this.skip(")")) {
      this.unclear("a bracket stands where none is expected");
    }
    words.pop();
    this.#noteFunction(name.literal);
  }

  #noteFunction(name: string): void {
    this.#facts.calls.noteFunction(name);
    this.#pendingFunction = name;
  }

  /** Handles a word that the shell's grammar knows, at the beginning of a command. */
  #readKeyword(word: Word): boolean {
    switch (word.raw) {
      case "for":
        this.flows.numbers.push({ type: "keyword", raw: "for" });
        readFor(this, () => this.#skipLines());
        return true;
      case "case":
        readCase(this, () => this.#skipLines());
        return true;
      case "time":
        this.skipBlanks();
        if (/^-p\s/u.test(this.source.slice(this.at, this.at + 3))) this.at += 2;
        return true;
      case "[[":
        this.onlyInBash("[[");
        readTest(this, (words) => acceptWords(this, words));
        return true;
      case "function":
        this.onlyInBash("function");
        this.skipBlanks();
        this.#noteFunction(readWord(this)?.literal ?? this.unclear("a function's name is not plain"));
        this.skipBlanks();
        if (this.skip("(") && !this.skip(")")) this.unclear("a function's name is not plain");
        return true;
      case "select":
      case "coproc":
        return this.unclear(`${word.raw} is not known here`);
      default:
        if (!BEFORE_COMMAND.has(word.raw) && !AFTER_COMMAND.has(word.raw)) return false;
        this.flows.numbers.push({ type: "keyword", raw: word.raw });
        return true;
    }
  }

  #skipLines(): void {
    for (;;) {
      this.skipBlanks();
      if (this.char === "#") this.#readComment();
      else if (this.char === "\n") this.#readNewline();
      else return;
    }
  }
}
