import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { Secrets } from "../../../schema/contract/credential.ts";
import { HEADER_VALUE } from "../../../schema/contract/http-header.ts";
import { ExecutorFailure, invalidParams } from "../shared/failures.ts";

/** By lower-case name. */
export type Headers = Record<string, string>;

/**
 * With these headers servers, gateways and frameworks use another host, path or proxy than the address has, and the
 * credential would be used there. `Proxy` becomes HTTP_PROXY in CGI programs, `X-Script-Name` the path prefix in
 * Python's. The list cannot be complete, and a list of safe names is impossible, because APIs have headers of any name.
 */
const REROUTING = new RegExp(
  [
    "^(?:forwarded|proxy|request-uri|script-name|x-(?:host|backend|upstream|proxy|script-name|request-uri|host-override)",
    "x-(?:ms-)?(?:forwarded|original|rewrite|override|real|backend|upstream|proxy|http|envoy-original|target|dest|destination)-" +
      "(?:dst-|request-)?(?:host|hostname|authority|server|url|uri|path|prefix)(?:-override)?)$",
  ].join("|"),
  "u",
);

/**
 * The headers of an action, whose contract has checked them. `credential` is what travels with them: its header and
 * where it goes.
 */
export function callerHeaders(
  given: Readonly<Record<string, string>> | undefined,
  credential: { header: string; target: URL } | null,
): Headers {
  const headers: Headers = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    const key = name.toLowerCase();
    if (key === credential?.header)
      throw invalidParams(`The header ${name} is set from the connection's credential. Leave it out.`);
    if (credential !== null) refuseRerouting(name, value, credential.target);
    headers[key] = value.trim();
  }
  return headers;
}

/** A credential goes only to the connection's host, so Host may only repeat that. */
function refuseRerouting(name: string, value: string, { host, hostname }: URL): void {
  const given = value.trim().toLowerCase();
  // Servers that pass headers on as variables do not distinguish _ and -.
  const key = name.toLowerCase().replaceAll("_", "-");
  if (key === "host" ? given === host || given === hostname : !REROUTING.test(key)) return;
  throw invalidParams(
    `The header ${name} can lead the request, and the connection's credential with it, to another host or path than the ` +
      "connection's baseUrl. Write that address as the baseUrl of a connection, or use a connection whose authType is none.",
  );
}

/** The header with the connection's credential; null without one. */
export function authorization(
  config: ConnectionConfig<"http">,
  secrets: Secrets | null,
): { name: string; value: string } | null {
  const secret = (name: string): string => {
    // A token copied from a file may end with a line break.
    const value = secrets?.[name]?.trim();
    if (value !== undefined && value !== "") return value;
    const message = `The connection's authType ${config.authType} needs ${name}, which this agent's vault does not have. Deliver the connection's credential to this agent.`;
    throw new ExecutorFailure("credential_missing", message);
  };
  switch (config.authType) {
    case "none":
      return null;
    case "basic": {
      const [username, password] = [secret("username"), secret("password")];
      if (username.includes(":"))
        throw unusable("username", "it contains a colon, which basic authentication cannot carry");
      return { name: "authorization", value: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
    }
    case "bearer":
      return { name: "authorization", value: `Bearer ${inHeader("token", secret("token"))}` };
    case "apiKey": {
      const name = config.apiKeyHeader.toLowerCase();
      return { name, value: inHeader("apiKey", secret("apiKey")) };
    }
  }
}

function inHeader(name: string, value: string): string {
  if (HEADER_VALUE.test(value)) return value;
  throw unusable(name, "it contains a line break or a character that headers cannot carry");
}

function unusable(name: string, why: string): ExecutorFailure {
  const message = `The connection's ${name} cannot be used: ${why}. Deliver the credential again.`;
  return new ExecutorFailure("invalid_credential", message);
}
