import { DatabaseError } from "./hrana.ts";
import type { SqlResult, SqlText, Transaction, TransactionOutcome } from "./hrana.ts";
import { isOverload } from "./errors.ts";
import type { Verdict, WriteLimiter } from "./write-limiter.ts";

interface WriterDeps {
  send(transactions: readonly Transaction[]): Promise<readonly TransactionOutcome[]>;
  limiter: WriteLimiter;
  now(): number;
  /** Keeps the request alive until its write has ended: else a client that leaves would take its turn with it. */
  keepAlive(work: Promise<unknown>): void;
}

interface Write {
  readonly transaction: Transaction;
  readonly size: number;
  /** Epoch ms. */
  readonly giveUpAt: number;
  readonly settled: PromiseWithResolvers<readonly SqlResult[]>;
  tries: number;
  lastRefusal: DatabaseError | null;
}

/** The longest that a write waits for the database to have room. */
const WAIT_MAX_MS = 15_000;
const TRIES_MAX = 8;
const GROUP_MAX = 16;
/** In characters; a write that is larger goes alone. */
const GROUP_MAX_SIZE = 512 * 1_024;

/**
 * The writes of one object, or of one request, in their order. Those that wait at the same time are sent as one
 * request, in which each is its own transaction (docs/decisions/0023-group-commit.md). A transaction for which the
 * database had no room is tried again, at most eight times.
 */
export class Writer {
  readonly #deps: WriterDeps;
  #waiting: Write[] = [];
  #isSending = false;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Rejects with a `DatabaseError`. */
  write(statements: readonly SqlText[]): Promise<readonly SqlResult[]> {
    const { limiter, now } = this.#deps;
    const giveUpAt = now() + WAIT_MAX_MS;
    const settled = Promise.withResolvers<readonly SqlResult[]>();
    const transaction: Transaction = { mode: "write", statements };
    const write: Write = { transaction, size: sizeOf(statements), giveUpAt, settled, tries: 0, lastRefusal: null };
    if (!limiter.admit(write, giveUpAt)) return Promise.reject(busy("too many writes wait for it"));
    this.#waiting.push(write);
    this.#deps.keepAlive(settled.promise.catch(() => undefined));
    if (!this.#isSending) void this.#sendAll();
    return settled.promise;
  }

  async #sendAll(): Promise<void> {
    const { limiter, send } = this.#deps;
    this.#isSending = true;
    for (;;) {
      this.#giveUpLate();
      const [oldest] = this.#waiting;
      if (oldest === undefined) break;
      const turn = await limiter.enter(oldest.giveUpAt);
      if (turn === null) continue;
      const group = this.#takeGroup();
      const outcomes = await send(group.map(({ transaction }) => transaction));
      limiter.leave(turn, { verdict: verdictOn(outcomes), writes: group.length, areCommits: outcomes.every(isCommit) });
      this.#settle(group, outcomes);
    }
    this.#isSending = false;
  }

  #takeGroup(): Write[] {
    let size = 0;
    const end = this.#waiting.findIndex((write, index) => {
      size += write.size;
      return index > 0 && (index >= GROUP_MAX || size > GROUP_MAX_SIZE);
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  #settle(group: readonly Write[], outcomes: readonly TransactionOutcome[]): void {
    const again = group.filter((write, index) => {
      const outcome = outcomes[index] ?? busy("it did not answer");
      if (!(outcome instanceof DatabaseError)) {
        this.#end(write, () => write.settled.resolve(outcome));
        return false;
      }
      write.tries += 1;
      write.lastRefusal = outcome;
      if (isOverload(outcome) && !outcome.mayHaveCommitted && write.tries < TRIES_MAX) return true;
      this.#end(write, () => write.settled.reject(outcome));
      return false;
    });
    if (again.length > 0) this.#waiting = [...again, ...this.#waiting];
  }

  #giveUpLate(): void {
    const now = this.#deps.now();
    this.#waiting = this.#waiting.filter((write) => {
      if (now < write.giveUpAt) return true;
      this.#end(write, () => write.settled.reject(write.lastRefusal ?? busy("it waited too long for its turn")));
      return false;
    });
  }

  #end(write: Write, settle: () => void): void {
    this.#deps.limiter.dismiss(write);
    settle();
  }
}

/** Others take less time: they need no lock, or do not reach the disk. */
function isCommit(outcome: TransactionOutcome): boolean {
  return !(outcome instanceof DatabaseError) && outcome.some(({ rowsAffected }) => rowsAffected > 0);
}

function verdictOn(outcomes: readonly TransactionOutcome[]): Verdict {
  const refused = outcomes.filter((outcome) => outcome instanceof DatabaseError && isOverload(outcome)).length;
  if (refused === 0) return "accepted";
  return refused === outcomes.length ? "full" : "partlyFull";
}

function busy(why: string): DatabaseError {
  return new DatabaseError("SQLITE_BUSY", `the database has no room: ${why}`, false);
}

function sizeOf(statements: readonly SqlText[]): number {
  let size = 0;
  for (const { sql, params } of statements) {
    size += sql.length;
    for (const param of params) {
      if (typeof param === "string") size += param.length;
      else if (typeof param === "object" && param !== null) size += param.byteLength;
    }
  }
  return size;
}
