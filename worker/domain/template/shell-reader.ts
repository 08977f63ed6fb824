import type { ShellDialect } from "./shell.ts";
import { refusalsOf } from "./shell-commands.ts";
import { ShellFacts } from "./shell-facts.ts";
import { REFERENCE_PLACES } from "./shell-places.ts";
import { readHereDocuments, readRedirection } from "./shell-redirections.ts";
import { ShellState } from "./shell-state.ts";
import type { Stop } from "./shell-state.ts";
import { readTest } from "./shell-tests.ts";
import type { Word } from "./shell-word.ts";
import { isAssignment, isEvaluatedName } from "./shell-word.ts";
import { readArithmetic, readWord } from "./shell-words.ts";

/** After these a command begins. */
const BEFORE_COMMAND = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{"]);
const AFTER_COMMAND = new Set(["fi", "done", "}"]);
const OPENING = new Set(["if", "while", "until", "for", "{"]);

/** Reads a shell script once, from its beginning to its end, and finds a place for every template in it. */
export class ShellReader extends ShellState {
  readonly #facts = new ShellFacts();
  #hereDocumentsWaitOutside = false;

  constructor(dialect: ShellDialect, source: string) {
    super(dialect, source, (_, stop) => this.#readCommands(stop));
  }

  readScript(): void {
    this.#readCommands("end");
    this.#facts.apply(this);
  }

  /** Commands up to `stop`, which is read too, but for `esac`: who reads the case looks for that. */
  #readCommands(stop: Stop): void {
    const leave = this.#enter(stop);
    let words: Word[] = [];
    let pipelineStart = this.at;
    /** Where the pipelines began whose groups, branches or loops are open. */
    const opened: number[] = [];
    let begins = true;
    /** A pipe came last: the pipeline goes on, also on the next line. */
    let piped = false;
    const finish = () => {
      this.#finishCommand(words);
      words = [];
    };
    for (;;) {
      this.skipBlanks();
      if (begins && !/[\s#]/u.test(this.char)) {
        pipelineStart = this.at;
        begins = false;
      }
      if (this.ended) {
        if (stop !== "end") this.unclear(stop === ")" ? "a bracket is not closed" : "case is not closed by esac");
        finish();
        return leave();
      }
      const { char } = this;
      if (char === "\n") {
        finish();
        begins ||= !piped;
        this.#readNewline();
      } else if (char === "#") this.#readComment();
      else if (char === ";") {
        finish();
        if (this.skip(";;&") || this.skip(";;") || this.skip(";&")) {
          if (stop !== "caseItem") this.unclear(";; stands outside case");
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
        if (piped) this.#facts.notePiped(this.templatesBetween(pipelineStart, this.at));
        this.at += this.startsWith("&&") || this.startsWith("||") || this.startsWith("|&") ? 2 : 1;
      } else if (char === ")") {
        if (stop !== ")") this.unclear("a bracket is closed that was not opened");
        finish();
        this.at += 1;
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
          return leave();
        } else if (!this.#readKeyword(word)) words.push(word);
        else if (OPENING.has(word.raw)) {
          opened.push(pipelineStart);
          begins = word.raw !== "for";
        } else if (AFTER_COMMAND.has(word.raw)) pipelineStart = opened.pop() ?? 0;
        else begins ||= BEFORE_COMMAND.has(word.raw) && word.raw !== "!";
      }
    }
  }

  /** Brackets have here-documents of their own. Gives what must be done when they are left. */
  #enter(stop: Stop): () => void {
    if (stop !== ")") return () => {};
    const [outerDocuments, outerWaiting] = [this.hereDocuments, this.#hereDocumentsWaitOutside];
    this.#hereDocumentsWaitOutside ||= outerDocuments.length > 0;
    this.hereDocuments = [];
    return () => {
      if (this.hereDocuments.length > 0) this.unclear("a here-document does not begin before its bracket ends");
      this.hereDocuments = outerDocuments;
      this.#hereDocumentsWaitOutside = outerWaiting;
    };
  }

  #readNewline(): void {
    if (this.#hereDocumentsWaitOutside) this.unclear("a here-document begins before this bracket and ends in it");
    this.at += 1;
    readHereDocuments(this);
  }

  #finishCommand(words: readonly Word[]): void {
    this.#facts.noteCommand(words);
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
  }

  /** Handles a word that the shell's grammar knows, at the beginning of a command. */
  #readKeyword(word: Word): boolean {
    switch (word.raw) {
      case "for":
        this.#readFor();
        return true;
      case "case":
        this.#readCase();
        return true;
      case "time":
        this.skipBlanks();
        if (/^-p\s/u.test(this.source.slice(this.at, this.at + 3))) this.at += 2;
        return true;
      case "[[":
        this.onlyInBash("[[");
        readTest(this, (words) => this.#acceptAll(words));
        return true;
      case "function":
        this.onlyInBash("function");
        this.skipBlanks();
        if (readWord(this)?.literal == null) this.unclear("a function's name is not plain");
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

  /** `for name in word …`, up to the end of its words. */
  #readFor(): void {
    this.skipBlanks();
    if (this.startsWith("((")) {
      this.onlyInBash("for ((…))");
      this.at += 2;
      readArithmetic(this);
      return;
    }
    const name = readWord(this);
    if (name === null || !/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name.raw) || isEvaluatedName(name.raw)) {
      this.unclear("the variable of for is not plain");
    }
    this.#skipLines();
    if (!/^in[\s;]/u.test(this.source.slice(this.at, this.at + 3))) return;
    this.at += 2;
    for (;;) {
      this.skipBlanks();
      if (this.ended || this.char === ";" || this.char === "\n" || this.char === "#") return;
      const word = readWord(this);
      if (word === null) this.unclear("the words of for are not plain");
      this.#acceptAll([word]);
    }
  }

  #readCase(): void {
    this.skipBlanks();
    const subject = readWord(this);
    if (subject === null) this.unclear("case has no word");
    this.#acceptAll([subject]);
    this.#skipLines();
    if (readWord(this)?.raw !== "in") this.unclear("case has no in");
    for (;;) {
      this.#skipLines();
      if (/^esac(?![A-Za-z0-9_\0"'\\$`-])/u.test(this.source.slice(this.at, this.at + 5))) {
        this.at += "esac".length;
        return;
      }
      this.#readPatterns();
      this.#readCommands("caseItem");
    }
  }

  #readPatterns(): void {
    this.skip("(");
    for (;;) {
      this.skipBlanks();
      const pattern = readWord(this);
      if (pattern === null) this.unclear("a pattern of case is not plain");
      for (const { index } of pattern.templates) {
        this.refuse(index, 'as a pattern of case: compare it with [ "$name" = {{…}} ] instead');
      }
      this.skipBlanks();
      if (this.skip(")")) return;
      if (!this.skip("|")) this.unclear("a pattern of case is not plain");
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

  #acceptAll(words: readonly Word[]): void {
    for (const { index, quoting } of words.flatMap((word) => word.templates)) {
      this.places.set(index, REFERENCE_PLACES[quoting]);
    }
  }
}
