import type { Next } from "hono";

/** A request can hold the event loop for two writes to the disk, and workerd must look every 5 s. */
const REQUESTS_PER_TURN = 32;
/** workerd finds at most 16 connections with input in one look. After this many requests, it may not have found all. */
const MANY_REQUESTS = 8;
const LOOKS_PER_TURN_MAX = 32;

/** Numbers of the isolate, which has one thread. */
let looks = 0;
let looksOfThisTurn = 0;
let begunInThisTurn = 0;
let arrivedSinceLook = 0;

/**
 * Makes workerd look at all connections after every few requests, and again until it has read all that wait. Its event
 * loop (KJ) otherwise looks only when it has nothing else to do: busy clients keep it from reading others' requests, from
 * timers, and from the database's answers, and it resets the waiting connections in the end
 * (docs/design/http-api.md#connections). It never resets one whose request it has begun to read. A timer fires only
 * after a look, so requests that wait for one leave the loop nothing else to do.
 */
export function takeTurns(next: Next): Promise<void> {
  begunInThisTurn += 1;
  return begunInThisTurn > REQUESTS_PER_TURN ? inLaterTurn(next) : next();
}

async function inLaterTurn(next: Next): Promise<void> {
  arrivedSinceLook += 1;
  do {
    const looksBefore = looks;
    await new Promise((resolve) => setTimeout(resolve, 0));
    // The first timer after a look; the others find that it was noted.
    if (looks === looksBefore) noteLook();
    begunInThisTurn += 1;
  } while (begunInThisTurn > REQUESTS_PER_TURN);
  await next();
}

function noteLook(): void {
  looks += 1;
  looksOfThisTurn += 1;
  const mayBeMore = arrivedSinceLook >= MANY_REQUESTS && looksOfThisTurn < LOOKS_PER_TURN_MAX;
  arrivedSinceLook = 0;
  if (mayBeMore) return;
  looksOfThisTurn = 0;
  begunInThisTurn = 0;
}
