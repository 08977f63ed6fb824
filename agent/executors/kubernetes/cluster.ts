import { createHash } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { isLoopback } from "../../../schema/contract/loopback.ts";
import { errorMessage, ExecutorFailure } from "../shared/failures.ts";

/** Address and login of a cluster, combined from a kubeconfig, a token and the agent's own pod. */
export interface Cluster {
  /** For people: "context prod of /etc/kubeconfig", "the cluster that this agent runs in". */
  origin: string;
  server: URL;
  /** host:port, for messages. */
  where: string;
  /** The only trusted authorities, in PEM. Null: those of the agent's host. */
  authorities: string | null;
  verify: boolean;
  /** The name in the server's certificate, if it differs from the address (tls-server-name). */
  serverName: string | null;
  /** Replaces the proxy of the agent's environment. */
  proxy: URL | null;
  /** How a person replaces a credential that was refused: "Deliver a new one." */
  renewal: string;
  login: ClusterLogin;
}

export interface ClusterLogin {
  /** `authorization` and the impersonation headers. */
  headers: Record<string, string | string[]>;
  /** Both in PEM. */
  clientCertificate: { cert: string; key: string } | null;
}

export const DELIVER_AGAIN = "Deliver a new one.";

/** What a cluster is made of, not checked yet. */
export interface ClusterParts
  extends Omit<Cluster, "server" | "where" | "proxy" | "login">, Pick<ClusterLogin, "headers"> {
  server: string;
  proxyUrl: string | null;
  token: string | null;
  cert: string | null;
  key: string | null;
}

const WITHOUT_SCHEME = /^(?:[^:/?#[\]]+|\[[^\]]+\])(?::\d+)?(?:\/.*)?$/u;

/** Checks what TLS and HTTP would refuse later without naming it. Throws `invalid_credential`. */
export function clusterOf({ server: address, proxyUrl, token, cert, key, headers, ...rest }: ClusterParts): Cluster {
  const { origin, authorities, verify } = rest;
  const check = (valid: boolean, problem: string): void => {
    if (!valid) throw new ExecutorFailure("invalid_credential", `The cluster or user of ${origin} ${problem}`);
  };
  const server = httpUrl(WITHOUT_SCHEME.test(address) ? `https://${address}` : address) ?? new URL("about:blank");
  const { href, protocol, hostname, port, pathname, username, password, origin: root } = server;
  // Not repeated: it holds a password.
  check(
    username === "" && password === "",
    "has a user or password in the address of its server. Remove them: the kubeconfig's user holds the credential.",
  );
  check(href === `${root}${pathname}`, "has a server that is not an address such as https://api.example.com:6443.");
  const sheltered = protocol === "https:" || isLoopback(hostname);
  check(sheltered, "has a server over plain http, which would show the credential to the network. Use https.");
  check(
    verify || authorities === null,
    "has both insecure-skip-tls-verify and a certificate authority. Remove one of them.",
  );
  // Not repeated: it may hold a password.
  const proxy = proxyUrl === null ? null : httpUrl(proxyUrl);
  check(
    proxyUrl === null || proxy !== null,
    "has a proxy-url that is not the address of an HTTP proxy, such as http://proxy.example.com:3128.",
  );
  check((cert === null) === (key === null), "has one of client-certificate and client-key: both are needed.");
  const clientCertificate = cert === null || key === null ? null : { cert, key };
  for (const [field, parts] of [
    ["certificate-authority", authorities === null ? {} : { ca: authorities }],
    ["client-certificate or client-key", { ...clientCertificate }],
  ] as const) {
    try {
      createSecureContext(parts);
    } catch (error) {
      // The last part is BoringSSL's own code: KEY_VALUES_MISMATCH, NO_START_LINE.
      const why = errorMessage(error).split(":").at(-1);
      check(
        false,
        `has a ${field} that cannot be used: ${why}. It must be PEM without a passphrase, in base64 where the field ends with -data.`,
      );
    }
  }
  const bearer = token?.trim();
  check(
    /^[\u0021-\u007e]+$/u.test(bearer ?? "none"),
    "has a token that is empty or has characters that are not allowed in a token.",
  );
  const sendable = Object.values(headers).flat();
  check(
    sendable.every((value) => /^[\u0020-\u007e]*$/u.test(value)),
    "has an as, as-uid or as-groups that no header can carry.",
  );
  return {
    ...rest,
    server,
    proxy,
    where: `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`,
    login: { headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) }, clientCertificate },
  };
}

/** An http or https address; null for any other text, and for port 0. */
function httpUrl(text: string): URL | null {
  const url = /^https?:\/\//iu.test(text) ? URL.parse(text) : null;
  return url?.port === "0" ? null : url;
}

/**
 * The place that a delivered token is bound to. It includes the proxy, because a proxy reads plain and unverified
 * requests, but not the proxy's login, which is a secret.
 */
export function clusterPlace({ server, authorities, verify, serverName, proxy }: Cluster): JsonObject {
  const digest = (pem: string) => `SHA256:${createHash("sha256").update(pem).digest("base64url")}`;
  return {
    server: server.href,
    authority: verify ? (authorities === null ? "those of the agent's host" : digest(authorities)) : "not verified",
    ...(serverName === null ? {} : { serverName }),
    ...(proxy === null ? {} : { proxy: proxy.origin }),
  };
}

export const NO_CREDENTIAL = "no credential";

/** "a client certificate and a token" */
export function kindOfLogin({ headers: { authorization }, clientCertificate }: ClusterLogin): string {
  const kinds = [
    ...(clientCertificate === null ? [] : ["a client certificate"]),
    ...(authorization === undefined
      ? []
      : [`${authorization}`.startsWith("Basic ") ? "a user and password" : "a token"]),
  ];
  return kinds.length === 0 ? NO_CREDENTIAL : kinds.join(" and ");
}
