import { type Connection, createConnection } from "mysql2";
import { connectTimeoutMs, openTcp, type Endpoint, withinTime } from "../../shared/tcp-session.ts";
import type { DatabaseTarget } from "../driver.ts";
import { FrameGuard, MYSQL_FRAMING } from "../frame-guard.ts";
import { describeTls } from "../../shared/tcp-session.ts";
import { loginFailure } from "./failures.ts";
import { useOwnTls } from "./tls.ts";
import { readColumn } from "./values.ts";

export interface OpenMysql {
  connection: Connection;
  /** Whether the connection was closed because a row was too large. */
  tooLarge: () => boolean;
  /** Closes the connection immediately. */
  destroy(): void;
}

/**
 * Connects and logs in. Throws `unreachable`, `tls_error`, `authentication_failed`, `invalid_config` or `job_ended`.
 */
export async function openMysql(
  target: DatabaseTarget,
  endpoint: Endpoint,
  passed?: (stage: string, detail: string) => void,
): Promise<OpenMysql> {
  const { tls, database } = target.config;
  const { signal } = target;
  const { username, password } = target.login ?? { username: "", password: "" };
  const timeoutMs = connectTimeoutMs(target);
  const socket = await openTcp(endpoint, { timeoutMs, signal, ...(passed === undefined ? {} : { passed }) });
  const frames = new FrameGuard(MYSQL_FRAMING);
  let tooLarge = false;
  const received = (chunk: Buffer): void => {
    if (tooLarge || frames.accepts(chunk)) return;
    tooLarge = true;
    socket.destroy(new Error("a row was too large"));
  };
  if (tls === "off") socket.on("data", received);
  const connection = createConnection({
    stream: socket,
    user: username,
    password,
    database,
    charset: "utf8mb4",
    connectTimeout: timeoutMs,
    ...(tls === "off" ? {} : { ssl: { rejectUnauthorized: tls === "verify" } }),
    multipleStatements: false,
    // A server must not be able to ask for a file of the agent's host.
    flags: ["-LOCAL_FILES"],
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    rowsAsArray: true,
    disableEval: true,
    typeCast: readColumn,
  });
  const destroy = (): void => {
    connection.destroy();
    socket.destroy();
  };
  const loggedIn = Promise.withResolvers<void>();
  let encrypting = false;
  if (tls !== "off") {
    useOwnTls(
      connection,
      { ...endpoint, tls, signal },
      {
        begun: () => (encrypting = true),
        encrypted: (secure) => {
          encrypting = false;
          passed?.("TLS", describeTls(secure, tls));
        },
        failed: loggedIn.reject,
        received,
      },
    );
  }
  connection.once("connect", () => loggedIn.resolve());
  // Always has a listener, because an unhandled error would end the agent. While the connection is being encrypted,
  // this error only says that it was closed; the cause follows a moment later.
  connection.on("error", (error) => void (encrypting || loggedIn.reject(error)));
  try {
    await withinTime(loggedIn.promise, { where: endpoint.where, timeoutMs, signal, giveUp: destroy });
  } catch (error) {
    destroy();
    throw loginFailure(error, { where: endpoint.where, username, database, secrets: target.secrets });
  }
  passed?.("Authentication", `Logged in to ${database} as ${username}.`);
  return { connection, tooLarge: () => tooLarge, destroy };
}
