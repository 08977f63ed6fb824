import { Connection, type DatabaseState } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { HranaError } from "./errors.ts";
import { parsePipeline } from "./hrana.ts";
import { LogSync, openLog } from "./log-sync.ts";
import { type PipelineDeps, runPipeline } from "./pipeline.ts";
import { StreamRegistry } from "./stream-registry.ts";
import { WriterGate } from "./writer-gate.ts";

export interface HranaDatabaseOptions {
  file: string;
  synchronous: "full" | "normal";
  streamIdleMs: number;
  writeWaitMs: number;
}

/** One SQLite file that answers Hrana pipelines over any transport. */
export class HranaDatabase {
  readonly #state: DatabaseState;
  readonly #keeper: Connection;
  readonly #log: ReturnType<typeof openLog> | undefined;
  readonly #logSync: LogSync | undefined;
  readonly #deps: PipelineDeps;
  #isStopping = false;

  /** Throws when the file is not a database or cannot be created. */
  constructor({ file, synchronous, streamIdleMs, writeWaitMs }: HranaDatabaseOptions, deps = { openLog }) {
    this.#state = { file, statementCount: 0, commitCount: 0 };
    // Open until the end: SQLite removes the log when the last connection closes.
    this.#keeper = new Connection(this.#state);
    if (synchronous === "full") {
      this.#log = deps.openLog(file);
      this.#logSync = new LogSync(this.#state, this.#log.sync);
    }
    const pool = new ConnectionPool(this.#state);
    const gate = new WriterGate();
    this.#deps = { pool, gate, streams: new StreamRegistry(pool, gate, streamIdleMs), writeWaitMs };
  }

  /** Statements executed, BEGIN and COMMIT included. */
  get statementCount(): number {
    return this.#state.statementCount;
  }

  /**
   * Takes the JSON body of a pipeline and returns the JSON body of its answer, which includes the errors of single
   * statements. Throws a `HranaError` when the whole pipeline is refused. `caller.signal` ends the wait for other
   * writers.
   */
  async answer(body: string, caller: { readonly signal: AbortSignal }): Promise<string> {
    if (this.#isStopping) throw new HranaError("STOPPING", "The database server is stopping; nothing was run", 503);
    const answered = runPipeline(parsePipeline(body), caller, this.#deps);
    const answer = typeof answered === "string" ? answered : await answered;
    if (this.#logSync?.isBehind === true) await this.#logSync.catchUp();
    return answer;
  }

  /** Accepts no new work and rejects waiting writers; running work may end. */
  beginStop(): void {
    this.#isStopping = true;
    this.#deps.gate.close();
  }

  /** Rolls back open transactions, moves the log into the file and closes the file. */
  close(): void {
    this.beginStop();
    this.#deps.streams.closeAll();
    this.#deps.pool.close();
    this.#keeper.checkpoint();
    this.#log?.close();
    this.#keeper.close();
  }
}
