import { Connection, type DatabaseState } from "./connection.ts";

/** A pipeline runs without giving up the thread, so that few connections are ever in use between transactions. */
const MAX_IDLE = 4;

/** Connections to one file. Whoever takes one has it alone until it gives it back. */
export class ConnectionPool {
  readonly #state: DatabaseState;
  readonly #idle: Connection[] = [];

  constructor(state: DatabaseState) {
    this.#state = state;
  }

  take(): Connection {
    return this.#idle.pop() ?? new Connection(this.#state);
  }

  /** Rolls back what is open. A connection that a client has changed is not passed on. */
  give(connection: Connection): void {
    connection.rollback();
    if (connection.isReusable && this.#idle.length < MAX_IDLE) this.#idle.push(connection);
    else connection.close();
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}
