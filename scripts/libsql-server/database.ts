import { answerRequest } from "./answer-request.ts";
import { Connection, type DatabaseState } from "./connection.ts";
import { HranaError } from "./errors.ts";
import { parsePipeline } from "./hrana.ts";
import { LogSync, openLog } from "./log-sync.ts";

/**
 * One SQLite file that answers Hrana pipelines over any transport. Each request of a pipeline runs without yielding the
 * thread, on the only connection, so no request ever waits for another one's transaction.
 */
export class LibsqlDatabase {
  readonly #state: DatabaseState;
  readonly #connection: Connection;
  readonly #log: ReturnType<typeof openLog> | undefined;
  readonly #logSync: LogSync | undefined;
  #isStopping = false;

  /** Throws when the file is not a database or cannot be created. */
  constructor(file: string, synchronous: "full" | "normal", deps = { openLog }) {
    this.#state = { file, statementCount: 0, commitCount: 0 };
    this.#connection = new Connection(this.#state);
    if (synchronous === "full") {
      this.#log = deps.openLog(file);
      this.#logSync = new LogSync(this.#state, this.#log.sync);
    }
  }

  /** Statements executed, BEGIN and COMMIT included. */
  get statementCount(): number {
    return this.#state.statementCount;
  }

  /**
   * Takes the JSON body of a pipeline and returns the JSON body of its answer, which includes the errors of single
   * statements. Throws a `HranaError` when the whole pipeline is refused.
   */
  async answer(body: string): Promise<string> {
    if (this.#isStopping) throw new HranaError("STOPPING", "The database server is stopping; nothing was run", 503);
    const results = parsePipeline(body).map((request) => answerRequest(request, this.#connection));
    if (this.#logSync?.isBehind === true) await this.#logSync.catchUp();
    return `{"baton":null,"base_url":null,"results":[${results.join(",")}]}`;
  }

  /** Accepts no new work. */
  beginStop(): void {
    this.#isStopping = true;
  }

  /** Moves the log into the file and closes the file. */
  close(): void {
    this.beginStop();
    this.#connection.checkpoint();
    this.#log?.close();
    this.#connection.close();
  }
}
