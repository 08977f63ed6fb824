import { Connection, type DatabaseState } from "./connection.ts";

/** A pipeline does not yield the thread, so few connections are ever in use between transactions. */
const MAX_IDLE = 4;

/** Connections to one file. A connection belongs to one caller from `take` to `give`. */
export class ConnectionPool {
  readonly #state: DatabaseState;
  readonly #idle: Connection[] = [];

  constructor(state: DatabaseState) {
    this.#state = state;
  }

  take(): Connection {
    return this.#idle.pop() ?? new Connection(this.#state);
  }

  /** Rolls back an open transaction. A connection with changed settings is not used again. */
  give(connection: Connection): void {
    connection.rollback();
    if (connection.isReusable && this.#idle.length < MAX_IDLE) this.#idle.push(connection);
    else connection.close();
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}
