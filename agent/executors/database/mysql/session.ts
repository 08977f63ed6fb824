import type { Connection } from "mysql2";
import { z } from "zod";
import { errorCode, errorMessage, jobEnded } from "../../shared/failures.ts";
import { quotedWithin } from "../../shared/quoted.ts";
import { SERVER_LIMIT_EXTRA_MS } from "../stopping.ts";
import type { DatabaseTarget } from "../driver.ts";
import type { Endpoint } from "../../shared/tcp-session.ts";
import { openMysql } from "./open.ts";

/** The runner waits 10 s for a stopped job: the KILL and the statement's end must fit into that. */
const CANCEL_TIMEOUT_MS = 3_000;
const WHO_ANSWERS = "SELECT CONNECTION_ID(), CONCAT(@@hostname, ':', @@port, ':', @@server_id), VERSION()";
const answerSchema = z.tuple([z.tuple([z.union([z.number(), z.string()]), z.string(), z.string()])]);

/** Identifies a session and its server. */
export interface SessionIdentity {
  /** The id for KILL. */
  id: number;
  server: string;
  version: string;
}

/** Runs one of the agent's own statements, without parameters. */
export function ask(connection: Connection, sql: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  connection.query(sql, (error, rows) => (error === null ? resolve(rows) : reject(error)));
  return promise;
}

export async function identify(connection: Connection): Promise<SessionIdentity> {
  const [[id, server, version]] = answerSchema.parse(await ask(connection, WHO_ANSWERS));
  return { id: Number(id), server, version };
}

/** Sets a limit on the server for an agent that is gone. A shorter limit of the account stays. */
export async function limitOnServer(connection: Connection, version: string, timeoutMs: number): Promise<void> {
  const limitMs = Math.ceil(timeoutMs) + SERVER_LIMIT_EXTRA_MS;
  const [name, value] = /mariadb/iu.test(version)
    ? (["max_statement_time", limitMs / 1_000] as const)
    : (["max_execution_time", limitMs] as const);
  const now = `@@SESSION.${name}`;
  // Old servers, and some compatible ones, have no such variable. Then only the agent's own limit applies.
  await ask(connection, `SET SESSION ${name} = IF(${now} = 0 OR ${now} > ${value}, ${value}, ${now})`).catch(
    () => undefined,
  );
}

/**
 * Ends the running statement of a session through a second login; `whole` ends the session, too. Behind a load balancer
 * the login may reach another server, where the id is another session's: then nothing is killed. Returns whether the
 * server took the KILL. Throws `job_ended` when the server refused it, as it does while a procedure of another account
 * runs.
 */
export async function killOnServer(
  target: DatabaseTarget,
  endpoint: Endpoint,
  session: SessionIdentity,
  { whole }: { whole: boolean },
): Promise<boolean> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  try {
    const { connection, destroy } = await openMysql({ ...target, timeoutMs: CANCEL_TIMEOUT_MS, signal }, endpoint);
    signal.addEventListener("abort", destroy, { once: true });
    try {
      const { server } = await identify(connection);
      if (server !== session.server) return false;
      await ask(connection, `KILL ${whole ? "" : "QUERY "}${session.id}`);
      return true;
    } finally {
      destroy();
    }
  } catch (error) {
    if (errorCode(error) === "ER_KILL_DENIED_ERROR") throw refused(error, session.version, target.secrets);
    // The server can no longer be reached, or has ended the statement. The statement's own connection shows which.
    return false;
  }
}

function refused(error: unknown, version: string, secrets: readonly string[]): Error {
  const right = /mariadb/iu.test(version) ? "CONNECTION ADMIN" : "CONNECTION_ADMIN";
  const message = `The server refused to cancel: ${quotedWithin(errorMessage(error), secrets)}; grant ${right} to the connection's account, since the procedure or function runs as another one. The statement still runs there, and may be carried out. Check before you run it again.`;
  return jobEnded(message);
}
