import { DATABASE_PORTS } from "../../../schema/contract/connections/database.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import type { Endpoint } from "../shared/tcp-session.ts";
import type { DatabaseTarget } from "./driver.ts";

/** The server's address. Refuses names that a login message cannot contain. */
export function endpointOf(target: Pick<DatabaseTarget, "config" | "login">): Endpoint {
  const { driver, host = "", port = DATABASE_PORTS[driver] ?? 0, database } = target.config;
  // Both names are in the login's message, where a NUL begins the next setting.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/u.test(`${database}${target.login?.username ?? ""}`)) {
    const message =
      "The name of the database or of its user has a control character. Correct the connection or its credential.";
    throw new ExecutorFailure("invalid_config", message);
  }
  return { host, port, where: `${host}:${port}` };
}
