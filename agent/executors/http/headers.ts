import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { Secrets } from "../../../schema/contract/credential.ts";
import { ExecutorFailure, invalidParams } from "../shared/failures.ts";

/** By lower-case name. */
export type Headers = Record<string, string>;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u;
/** RFC 9110, 5.5; line breaks in a value would begin another header, or another request. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;
/** These say how the message itself travels, which is not for a caller to say. */
const OURS = new Set(
  "connection content-length keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/**
 * By these, servers, gateways and frameworks choose another host, path or proxy than the address says: the credential
 * would be used there. `Proxy` becomes HTTP_PROXY in CGI programs, `X-Script-Name` the path prefix in Python's. No list of
 * such names is complete, and none of the names that are safe could be: APIs have headers of every name.
 */
const REROUTING = new RegExp(
  [
    "^(?:forwarded|proxy|request-uri|script-name|x-(?:host|backend|upstream|proxy|script-name|request-uri|host-override)",
    "x-(?:ms-)?(?:forwarded|original|rewrite|override|real|backend|upstream|proxy|http|envoy-original|target|dest|destination)-" +
      "(?:dst-|request-)?(?:host|hostname|authority|server|url|uri|path|prefix)(?:-override)?)$",
  ].join("|"),
  "u",
);

/** What may follow a redirect to another origin: nothing that says who asks. */
export const HARMLESS_HEADERS = new Set(["accept", "accept-language", "accept-encoding", "user-agent"]);

/** The headers that an action gives, checked. `credential` is what travels with them: its header and where it goes. */
export function callerHeaders(
  given: Readonly<Record<string, string>> | undefined,
  credential: { header: string; target: URL } | null,
): Headers {
  const headers: Headers = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    const key = name.toLowerCase();
    if (!HEADER_NAME.test(name)) throw invalidParams(`${JSON.stringify(name)} cannot be the name of a header.`);
    if (!HEADER_VALUE.test(value)) {
      throw invalidParams(
        `The header ${name} contains a line break or a character that headers cannot carry. Encode it.`,
      );
    }
    if (OURS.has(key)) throw invalidParams(`The header ${name} is set by the agent itself. Leave it out.`);
    if (key === credential?.header)
      throw invalidParams(`The header ${name} is set from the connection's credential. Leave it out.`);
    if (credential !== null) refuseRerouting(name, value, credential.target);
    if (Object.hasOwn(headers, key)) throw invalidParams(`The header ${name} is given twice.`);
    headers[key] = value.trim();
  }
  return headers;
}

/** A credential goes where the connection says; its Host may only repeat that. */
function refuseRerouting(name: string, value: string, { host, hostname }: URL): void {
  const given = value.trim().toLowerCase();
  // Servers that hand headers on as variables do not tell _ from -.
  const key = name.toLowerCase().replaceAll("_", "-");
  if (key === "host" ? given === host || given === hostname : !REROUTING.test(key)) return;
  throw invalidParams(
    `The header ${name} can lead the request, and the connection's credential with it, to another host or path than the ` +
      "connection's baseUrl. Write that address as the baseUrl of a connection, or use a connection whose authType is none.",
  );
}

/** The header that carries the connection's credential; null without one. */
export function authorization(
  config: ConnectionConfig<"http">,
  secrets: Secrets | null,
): { name: string; value: string } | null {
  const secret = (name: string): string => {
    // A line break at the end comes from the file that a token was copied from.
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
      if (OURS.has(name) || name === "host" || HARMLESS_HEADERS.has(name)) {
        const message = `The connection's apiKeyHeader ${config.apiKeyHeader} says how the message travels or what is accepted, and cannot carry a key. Name the header that the API's documentation names.`;
        throw new ExecutorFailure("invalid_config", message);
      }
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
