import { Agent } from "node:http";
import type { Duplex } from "node:stream";

/** Sends one request over a socket that is already checked, tunnelled and encrypted as necessary. */
export class OneSocketAgent extends Agent {
  constructor(private readonly socket: Duplex) {
    super({ keepAlive: false });
  }

  override createConnection(): Duplex {
    return this.socket;
  }
}
