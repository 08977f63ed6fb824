import type { Duplex } from "node:stream";
import type { FieldDef, Submittable } from "pg";
import { ExecutorFailure } from "../../shared/failures.ts";

/** How many rows the server sends per request: few at first, since each may be large. */
const FIRST_ROWS = 10;
const ROWS_AT_ONCE_MAX = 320;
/** All remaining rows. */
const ALL_ROWS = 0;

/** The used members of pg's connection. Its published types declare the number of rows as text. */
interface Wire {
  readonly stream: Duplex;
  parse(query: { name: string; text: string; types: string[] }, more: boolean): void;
  bind(config: { values?: (string | null | undefined | Buffer)[] | undefined } | null, more: boolean): void;
  describe(config: { type: string }, more: boolean): void;
  execute(config: { rows?: string | number | undefined } | null, more: boolean): void;
  close(config: { type: string }, more: boolean): void;
  flush(): void;
  sync(): void;
}

export interface PortalSink {
  columns(fields: readonly FieldDef[]): void;
  /** False when no further rows are wanted. */
  row(values: readonly (string | null)[]): boolean;
}

/**
 * One statement in the extended protocol, which refuses several: prepared on the server, with separate values, its rows * fetched in portions. `done` resolves with the command's tag, such as `INSERT 0 3`, or with null
 when not all rows
 * were fetched. When the sink wants no further rows, the rest is read and dropped, because * a function in a SELECT may * write for each row; with `mayStop` the statement is abandoned.
 */
export class Portal implements Submittable {
  readonly done: Promise<string | null>;
  readonly #text: string;
  readonly #values: readonly (string | null)[];
  readonly #sink: PortalSink;
  readonly #settle = Promise.withResolvers<string | null>();
  readonly #mayStop: boolean;
  #connection: Wire | null = null;
  #wanted = true;
  #portion = FIRST_ROWS;
  #tag: string | null = null;

  constructor(text: string, values: readonly (string | null)[], sink: PortalSink, { mayStop }: { mayStop: boolean }) {
    this.#text = text;
    this.#values = values;
    this.#sink = sink;
    this.#mayStop = mayStop;
    this.done = this.#settle.promise;
  }

  submit(connection: Wire): void {
    this.#connection = connection;
    connection.parse({ name: "", text: this.#text, types: [] }, true);
    connection.bind({ values: [...this.#values] }, true);
    connection.describe({ type: "P" }, true);
    connection.execute({ rows: this.#portion }, true);
    connection.flush();
  }

  // pg's client calls each of the following handlers for the message of its name.

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.#sink.columns(fields);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#wanted) this.#wanted = this.#sink.row(fields);
  }

  handlePortalSuspended(connection: Wire): void {
    if (this.#wanted || !this.#mayStop) {
      this.#portion = this.#wanted ? Math.min(this.#portion * 2, ROWS_AT_ONCE_MAX) : ALL_ROWS;
      connection.execute({ rows: this.#portion }, true);
      connection.flush();
      return;
    }
    connection.close({ type: "P" }, true);
    connection.sync();
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#tag = text;
    this.#connection?.sync();
  }

  handleEmptyQuery(): void {
    this.#connection?.sync();
  }

  handleCopyInResponse(connection: Wire & { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail("nothing can be sent to COPY … FROM STDIN: use INSERT");
  }

  /** COPY … TO STDOUT cannot be stopped in another way, and returns no rows. */
  handleCopyData(): void {
    this.#settle.reject(new ExecutorFailure("query_failed", "COPY … TO STDOUT gives no rows: use SELECT."));
    this.#connection?.stream.destroy();
  }

  handleError(error: unknown): void {
    this.#connection?.sync();
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#tag);
  }
}
