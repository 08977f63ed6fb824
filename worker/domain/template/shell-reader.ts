import { Unclear } from "./place.ts";
import type { ShellDialect } from "./shell.ts";
import { refusalsOf } from "./shell-commands.ts";
import { ShellFacts } from "./shell-facts.ts";
import { ARGUMENTS } from "./shell-flows.ts";
import { nestedScripts } from "./shell-nested.ts";
import { readCase, readFor } from "./shell-compounds.ts";
import { REFERENCE_PLACES, acceptWords } from "./shell-places.ts";
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

/** A point in the script, and in what it expands. */
interface Start {
  readonly at: number;
  readonly variables: number;
}

/** Reads a shell script once, from its beginning to its end, and finds a place for every template in it. */
export class ShellReader extends ShellState {
  readonly #facts: ShellFacts;
  #hereDocumentsWaitOutside = false;

  constructor(dialect: ShellDialect, source: string, outer: ShellReader | null = null, isBeginning = false) {
    const hooks: ShellHooks = {
      readCommands: (_, stop) => this.#readCommands(stop),
      readHereBody: (from, to) => this.#readHereBody(from, to),
      readNested: (inner, code) => this.#readNested(inner, code),
    };
    super(dialect, source, hooks, outer, isBeginning);
    this.#facts = outer === null ? new ShellFacts() : outer.#facts;
  }

  readScript(): void {
    this.#readCommands("end");
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
  #readCommands(stop: Stop): void {
    const leave = this.#enter(stop);
    let words: Word[] = [];
    let pipeline = this.#here();
    /** Where the line began, with all of the groups, branches and loops that end in it. */
    let line = pipeline;
    /** Where the pipelines began whose groups, branches or loops are open. */
    const opened: Start[] = [];
    let begins = true;
    /** A pipe came last: the pipeline goes on, also on the next line. */
    let piped = false;
    const finish = () => {
      this.#finishCommand(words);
      words = [];
    };
    const finishLine = () => {
      if (this.flows.writes)
        this.flows.endLine(this.templatesBetween(line.at, this.at), this.flows.since(line.variables));
      line = this.#here();
    };
    for (;;) {
      this.skipBlanks();
      if (begins && !/[\s#]/u.test(this.char)) {
        pipeline = this.#here();
        begins = false;
      }
      if (this.ended) {
        if (stop !== "end") this.unclear(stop === ")" ? "a bracket is not closed" : "case is not closed by esac");
        finish();
        finishLine();
        return leave();
      }
      const { char } = this;
      if (char === "\n") {
        finish();
        begins ||= !piped;
        this.#readNewline();
        if (!piped) finishLine();
      } else if (char === "#") this.#readComment();
      else if (char === ";") {
        finish();
        if (this.skip(";;&") || this.skip(";;") || this.skip(";&")) {
          if (stop !== "caseItem") this.unclear(";; stands outside case");
          finishLine();
          return leave();
        }
        this.at += 1;
        begins = true;
      } else if (this.startsWith("&>")) {
        this.onlyInBash("&>");
        readRedirection(this, words);
      } else if (char === "&" || char === "|") {
        finish();
        piped = char === "|" && !this.startsWith("||");
        begins = !piped;
        if (piped) this.flows.reads(this.templatesBetween(pipeline.at, this.at), this.flows.since(pipeline.variables));
        this.at += this.startsWith("&&") || this.startsWith("||") || this.startsWith("|&") ? 2 : 1;
        // What stood before the pipe is noted; what follows it is noted by the next one.
        if (piped) pipeline = this.#here();
      } else if (char === ")") {
        if (stop !== ")") this.unclear("a bracket is closed that was not opened");
        finish();
        this.at += 1;
        finishLine();
        return leave();
      } else if (char === "(") this.#readBracket(words);
      else if ((char === "<" || char === ">") && this.source[this.at + 1] !== "(") readRedirection(this, words);
      else {
        const word = readWord(this);
        if (word === null) this.unclear("a word was expected");
        piped = false;
        if (words.length > 0) words.push(word);
        else if (word.raw === "esac") {
          if (stop !== "caseItem") this.unclear("esac stands outside case");
          this.at = word.start;
          finishLine();
          return leave();
        } else if (!this.#readKeyword(word)) words.push(word);
        else if (OPENING.has(word.raw)) {
          opened.push(pipeline);
          begins = word.raw !== "for";
        } else if (AFTER_COMMAND.has(word.raw)) {
          pipeline = opened.pop() ?? { at: 0, variables: 0 };
          if (pipeline.at < line.at) line = pipeline;
        } else begins ||= BEFORE_COMMAND.has(word.raw) && word.raw !== "!";
      }
    }
  }

  /** Brackets have here-documents of their own. Gives what must be done when they are left. */
  #enter(stop: Stop): () => void {
    this.flows.enterCommands();
    this.deepen(1);
    const leave = () => {
      this.deepen(-1);
      this.flows.leaveCommands();
    };
    if (stop !== ")") return leave;
    const [outerDocuments, outerWaiting] = [this.hereDocuments, this.#hereDocumentsWaitOutside];
    this.#hereDocumentsWaitOutside ||= outerDocuments.length > 0;
    this.hereDocuments = [];
    return () => {
      if (this.hereDocuments.length > 0) this.unclear("a here-document does not begin before its bracket ends");
      this.hereDocuments = outerDocuments;
      this.#hereDocumentsWaitOutside = outerWaiting;
      leave();
    };
  }

  #here(): Start {
    return { at: this.at, variables: this.flows.mark() };
  }

  #readNewline(): void {
    if (this.#hereDocumentsWaitOutside) this.unclear("a here-document begins before this bracket and ends in it");
    this.at += 1;
    readHereDocuments(this);
  }

  #finishCommand(words: readonly Word[]): void {
    if (words.filter((word) => interpreterOf(programOf(word)) !== null).length > MAX_INTERPRETERS)
      this.unclear("one command names too many interpreters");
    this.flows.mentions(words.slice(1));
    this.#facts.noteCommand(words, this.flows);
    for (const { code, args } of nestedScripts(words)) {
      for (const word of args) this.flows.assignWord(ARGUMENTS, word);
      if (!this.#readNested("bash", code)) this.#facts.noteUnclear(args);
    }
    const refusals = refusalsOf(this.dialect, words);
    for (const word of words) {
      for (const { index, quoting } of word.templates) {
        const reason = refusals.get(index);
        if (reason !== undefined) this.refuse(index, reason);
        else this.places.set(index, REFERENCE_PLACES[quoting]);
      }
      for (const index of word.inner) {
        const reason = refusals.get(index);
        if (reason !== undefined) this.refuse(index, reason);
      }
    }
  }

  /** Reads the code of another shell, which gets values by name: it has no templates of its own. False if it is not plain. */
  #readNested(dialect: ShellDialect, code: string): boolean {
    return this.#tryInside(() => {
      const nested = new ShellReader(dialect, code, this);
      nested.deepen(NESTED_DEPTH);
      nested.#readCommands("end");
    });
  }

  #tryInside(read: () => void): boolean {
    const { depth } = this.flows;
    try {
      read();
      return true;
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      this.flows.leaveTo(depth);
      return false;
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
      if (this.startsWith("((")) {
        this.onlyInBash("((…))");
        this.at += 2;
        readArithmetic(this);
      } else {
        this.at += 1;
        this.#readCommands(")");
      }
      return;
    }
    this.at += 1;
    this.skipBlanks();
    if (words.length !== 1 || name.literal === null || isAssignment(name) || !this.skip(")")) {
      this.unclear("a bracket stands where none is expected");
    }
    words.pop();
    this.#facts.noteFunction(name.literal);
  }

  /** Handles a word that the shell's grammar knows, at the beginning of a command. */
  #readKeyword(word: Word): boolean {
    switch (word.raw) {
      case "for":
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
        this.#facts.noteFunction(readWord(this)?.literal ?? this.unclear("a function's name is not plain"));
        this.skipBlanks();
        if (this.skip("(") && !this.skip(")")) this.unclear("a function's name is not plain");
        return true;
      case "select":
      case "coproc":
        return this.unclear(`${word.raw} is not known here`);
      default:
        return BEFORE_COMMAND.has(word.raw) || AFTER_COMMAND.has(word.raw);
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
