import type { Next } from "hono";

const REQUESTS_PER_TURN = 8;

/** Requests since workerd last looked for input. One number for the isolate, which has one thread. */
let requests = 0;

/**
 * Makes workerd look at all connections after every few requests. Its event loop (KJ) otherwise does so only when it has
 * nothing else to do: busy clients keep it from reading others' requests, from timers, and from the database's answers,
 * and it resets the waiting connections in the end (docs/design/http-api.md#connections). A timer fires only after such
 * a look, so requests that wait for one leave the loop nothing else to do.
 */
export function takeTurns(next: Next): Promise<void> {
  requests += 1;
  return requests > REQUESTS_PER_TURN ? inNextTurn(next) : next();
}

async function inNextTurn(next: Next): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  requests = 0;
  await next();
}
