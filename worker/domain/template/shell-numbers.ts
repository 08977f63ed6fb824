import type { Holder } from "./shell-flows.ts";
import { NOTHING, add, assign, assignedIn, both, join, meet, without } from "./shell-known-numbers.ts";
import type { Known, Outcome } from "./shell-known-numbers.ts";
import type { NumberEvent } from "./shell-number-events.ts";

/**
 * The holders that arithmetic reads where nothing says that they hold a number. A check counts where it is known to have
 * succeeded: behind `… || exit`, in the branch that it guards, and until the next assignment.
 *
 * `namesIn` gives the names that a holder may hold as text, since arithmetic reads those, too.
 */
export function uncheckedIn(
  events: readonly NumberEvent[],
  namesIn: (holder: Holder) => Iterable<Holder>,
): Set<Holder> {
  const reader = new NumberReader(events, namesIn);
  reader.readAll();
  return reader.unchecked;
}

class NumberReader {
  readonly unchecked = new Set<Holder>();
  #at = 0;
  #loops = 0;
  #inFunction = false;
  #returns = false;
  /** Whether each function only ever ends by leaving the script. */
  readonly #functions = new Map<string, boolean>();
  readonly #assignedInFunctions = new Set<Holder>();

  constructor(
    readonly events: readonly NumberEvent[],
    readonly namesIn: (holder: Holder) => Iterable<Holder>,
  ) {}

  readAll(): void {
    while (this.#at < this.events.length) {
      this.#list(NOTHING);
      this.#at += 1;
    }
  }

  /** Commands up to what this list does not begin itself: `then`, `fi`, a closing bracket. */
  #list(known: Known): Outcome {
    let outcome: Outcome = both(known);
    for (;;) {
      const event = this.events[this.#at];
      if (event === undefined || endsList(event)) return outcome;
      if (this.#skipOperator(";") || this.#skipOperator("&")) continue;
      const before = join(outcome);
      outcome = this.#chain(before);
      if (this.#isOperator("&")) outcome = both(meet(before, join(outcome)));
    }
  }

  #chain(known: Known): Outcome {
    let { yes, no } = this.#pipeline(known);
    for (;;) {
      if (this.#skipOperator("&&")) {
        this.#skipLines();
        const next = this.#pipeline(yes);
        no = meet(no, next.no);
        yes = next.yes;
      } else if (this.#skipOperator("||")) {
        this.#skipLines();
        const next = this.#pipeline(no);
        yes = meet(yes, next.yes);
        no = next.no;
      } else return { yes, no };
    }
  }

  #pipeline(known: Known): Outcome {
    let negated = false;
    for (; this.#skipKeyword("!");) negated = !negated;
    let outcome = this.#command(known);
    if (this.#isOperator("|")) {
      // Each part runs in a shell of its own, or does not: nothing that it leaves is sure.
      let after = meet(known, join(outcome));
      while (this.#skipOperator("|")) {
        this.#skipLines();
        after = meet(after, join(this.#command(known)));
      }
      outcome = both(after);
    }
    return negated ? { yes: outcome.no, no: outcome.yes } : outcome;
  }

  /** One command with everything that its words calculate, up to what separates it from the next. */
  #command(known: Known): Outcome {
    let outcome = both(known);
    for (;;) {
      const event = this.events[this.#at];
      if (event === undefined || event.type === "operator" || endsList(event)) return outcome;
      this.#at += 1;
      const before = join(outcome);
      switch (event.type) {
        case "calculate":
          this.#calculate(event.holders, before);
          break;
        case "assign":
          outcome = both(assign(before, event));
          break;
        case "test":
          outcome = { yes: add(before, event.whenTrue), no: add(before, event.whenFalse) };
          break;
        case "command":
          outcome = this.#run(event.name, outcome);
          break;
        case "open":
          outcome = this.#bracket(event.alone, before);
          break;
        case "function":
          this.#define(event.name);
          break;
        case "case":
          outcome = both(this.#case(event.subject, before));
          break;
        case "keyword":
          outcome = this.#compound(event.raw, before);
          break;
      }
    }
  }

  #calculate(holders: readonly Holder[], known: Known): void {
    if (known === null) return;
    const waiting = [...holders];
    const seen = new Set(waiting);
    for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
      if (known.has(holder)) continue;
      this.unchecked.add(holder);
      for (const name of this.namesIn(holder)) {
        if (!seen.has(name)) waiting.push(name);
        seen.add(name);
      }
    }
  }

  #run(name: string | null, outcome: Outcome): Outcome {
    if (name === null) return outcome;
    if (name === "exit" || ((name === "break" || name === "continue") && this.#loops > 0)) return both(null);
    if (name === "return" && this.#inFunction) {
      this.#returns = true;
      return both(null);
    }
    const leaves = this.#functions.get(name);
    if (leaves === undefined) return outcome;
    return leaves ? both(null) : both(without(join(outcome), this.#assignedInFunctions));
  }

  #bracket(alone: boolean, known: Known): Outcome {
    const start = this.#at;
    this.#apart(false, () => this.#list(alone ? NOTHING : known));
    this.#at += 1;
    return both(without(known, assignedIn(this.events.slice(start, this.#at))));
  }

  #define(name: string): void {
    const start = this.#at;
    const event = this.events[start];
    this.#at += 1;
    const end = this.#apart(true, () => {
      if (event?.type === "keyword") return join(this.#compound(event.raw, NOTHING));
      this.#bracket(false, NOTHING);
      return NOTHING;
    });
    this.#functions.set(name, end === null && !this.#returns && (this.#functions.get(name) ?? true));
    for (const holder of assignedIn(this.events.slice(start, this.#at))) this.#assignedInFunctions.add(holder);
  }

  /** In a shell or a function of its own no loop around it can be left. */
  #apart<T>(inFunction: boolean, read: () => T): T {
    const [loops, outer] = [this.#loops, this.#inFunction];
    this.#loops = 0;
    this.#inFunction = inFunction;
    if (inFunction) this.#returns = false;
    const result = read();
    this.#loops = loops;
    this.#inFunction = outer;
    return result;
  }

  #compound(raw: string, known: Known): Outcome {
    switch (raw) {
      case "if":
        return both(this.#if(known));
      case "while":
      case "until":
      case "for":
        return both(this.#loop(raw, known));
      case "{": {
        const outcome = this.#list(known);
        this.#skipKeyword("}");
        return outcome;
      }
      default:
        return both(known);
    }
  }

  #if(known: Known): Known {
    let condition = this.#list(known);
    let after: Known = null;
    do {
      this.#skipKeyword("then");
      after = meet(after, join(this.#list(condition.yes)));
      if (!this.#skipKeyword("elif")) break;
      condition = this.#list(condition.no);
    } while (this.#at < this.events.length);
    const otherwise = this.#skipKeyword("else") ? join(this.#list(condition.no)) : condition.no;
    this.#skipKeyword("fi");
    return meet(after, otherwise);
  }

  #loop(raw: string, known: Known): Known {
    const assigned = assignedIn(this.events.slice(this.#at, this.#endOfLoop()));
    const again = without(known, assigned);
    const condition = this.#list(again);
    this.#skipKeyword("do");
    this.#loops += 1;
    this.#list(raw === "until" ? condition.no : condition.yes);
    this.#loops -= 1;
    this.#skipKeyword("done");
    return again;
  }

  #endOfLoop(): number {
    let open = 1;
    let at = this.#at;
    for (; at < this.events.length && open > 0; at += 1) {
      const event = this.events[at];
      if (event?.type !== "keyword") continue;
      if (event.raw === "for" || event.raw === "while" || event.raw === "until") open += 1;
      if (event.raw === "done") open -= 1;
    }
    return at;
  }

  #case(subject: Holder | null, known: Known): Known {
    const isSubject = subject === null ? [] : [subject];
    let unmatched = known;
    let after: Known = null;
    for (;;) {
      const event = this.events[this.#at];
      if (event === undefined || event.type === "esac") {
        this.#at += 1;
        return meet(after, unmatched);
      }
      this.#at += 1;
      if (event.type !== "arm") continue;
      const end = join(this.#list(event.takes === "numbers" ? add(unmatched, isSubject) : unmatched));
      const next = this.events[this.#at];
      if (event.takes === "others") unmatched = add(unmatched, isSubject);
      if (next?.type === "armEnd" && next.fallsThrough) unmatched = meet(unmatched, end);
      after = meet(after, end);
    }
  }

  #isOperator(raw: string): boolean {
    const event = this.events[this.#at];
    return event?.type === "operator" && event.raw === raw;
  }

  #skipOperator(raw: string): boolean {
    if (!this.#isOperator(raw)) return false;
    this.#at += 1;
    return true;
  }

  #skipLines(): void {
    while (this.#skipOperator(";"));
  }

  #skipKeyword(raw: string): boolean {
    const event = this.events[this.#at];
    if (event?.type !== "keyword" || event.raw !== raw) return false;
    this.#at += 1;
    return true;
  }
}

const ENDING = new Set(["then", "elif", "else", "fi", "do", "done", "}"]);

function endsList(event: NumberEvent): boolean {
  if (event.type === "keyword") return ENDING.has(event.raw);
  return event.type === "close" || event.type === "arm" || event.type === "armEnd" || event.type === "esac";
}
