import { createHash } from "node:crypto";
import type { KubeConfig } from "@kubernetes/client-node";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { isLoopback } from "../../../schema/contract/loopback.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { checkedAuthorities, checkedClientCertificate, type ClientCertificate, decodedData } from "./certificates.ts";

/** Address and login of a cluster: the sum of a kubeconfig, a token and the pod that the agent runs in. */
export interface Cluster {
  /** For people: "context prod of /etc/kubeconfig", "the cluster that this agent runs in". */
  origin: string;
  server: URL;
  /** PEM; the only authorities that are trusted. Null: those of the agent's host. */
  authorities: string | null;
  verify: boolean;
  /** The name in the server's certificate, where it is not the address's (tls-server-name). */
  serverName: string | null;
  /** Replaces the proxy of the agent's environment. */
  proxyUrl: string | null;
  login: ClusterLogin;
}

export interface ClusterLogin {
  /** `authorization`, and those of impersonation (as, as-uid). */
  headers: Record<string, string>;
  /** as-groups: one header each. */
  groups: string[];
  clientCertificate: ClientCertificate | null;
}

export type Impersonation = Pick<ClusterLogin, "headers" | "groups">;
export const AS_ITSELF: Impersonation = { headers: {}, groups: [] };

/** The current context of a loaded kubeconfig, each part checked. Throws `invalid_credential`. */
export function clusterOf(kubeConfig: KubeConfig, origin: string, impersonation: Impersonation): Cluster {
  const invalid = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The cluster of ${origin} ${problem}`);
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw invalid("is not in the kubeconfig.");
  const { caData, proxyUrl } = cluster;
  const verify = !cluster.skipTLSVerify;
  if (!verify && caData) {
    throw invalid("has both insecure-skip-tls-verify and a certificate authority. Take out insecure-skip-tls-verify.");
  }
  if (proxyUrl && !/^https?:\/\/[^/]/u.test(proxyUrl)) {
    // Not repeated: it may hold a password.
    throw invalid("has a proxy-url that is not the address of an HTTP proxy, such as http://proxy.example.com:3128.");
  }
  return {
    origin,
    server: serverUrl(cluster.server, invalid),
    authorities: caData ? checkedAuthorities(decodedData(caData, "certificate-authority-data", origin), origin) : null,
    verify,
    serverName: cluster.tlsServerName || null,
    proxyUrl: proxyUrl || null,
    login: loginOf(kubeConfig, origin, impersonation),
  };
}

/**
 * The place that a delivered token is bound to: only this server could answer with it. The proxy is part of it, because a
 * proxy reads plain and unverified requests. Its login is left out: it is a secret.
 */
export function clusterPlace({ server, authorities, verify, serverName, proxyUrl }: Cluster): JsonObject {
  const digest = (pem: string) => `SHA256:${createHash("sha256").update(pem).digest("base64url")}`;
  return {
    server: server.href,
    authority: verify ? (authorities === null ? "those of the agent's host" : digest(authorities)) : "not verified",
    ...(serverName === null ? {} : { serverName }),
    ...(proxyUrl === null ? {} : { proxy: new URL(proxyUrl).origin }),
  };
}

/** host:port */
export function placeOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}

export const NO_CREDENTIAL = "no credential";

/** "a client certificate and a token" */
export function kindOfLogin({ headers: { authorization }, clientCertificate }: ClusterLogin): string {
  const kinds = [
    ...(clientCertificate === null ? [] : ["a client certificate"]),
    ...(authorization === undefined ? [] : [authorization.startsWith("Basic ") ? "a user and password" : "a token"]),
  ];
  return kinds.length === 0 ? NO_CREDENTIAL : kinds.join(" and ");
}

function loginOf(kubeConfig: KubeConfig, origin: string, { headers, groups }: Impersonation): ClusterLogin {
  const user = kubeConfig.getCurrentUser();
  const { certData, keyData, token, username, password } = user ?? {};
  if (Boolean(certData) !== Boolean(keyData)) {
    const message = `${origin} has only one of client-certificate and client-key: both are needed. Deliver it again.`;
    throw new ExecutorFailure("invalid_credential", message);
  }
  const clientCertificate =
    certData && keyData
      ? checkedClientCertificate(
          {
            cert: decodedData(certData, "client-certificate-data", origin),
            key: decodedData(keyData, "client-key-data", origin),
          },
          origin,
        )
      : null;
  const basic =
    username || password ? `Basic ${Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64")}` : "";
  const authorization = token ? `Bearer ${checkedToken(token)}` : basic;
  return { headers: { ...headers, ...(authorization === "" ? {} : { authorization }) }, groups, clientCertificate };
}

/** Refuses an empty token, which would be no login at all, and characters that no header can carry. */
export function checkedToken(token: string): string {
  const trimmed = token.trim();
  if (/^[\u0021-\u007e]+$/u.test(trimmed)) return trimmed;
  const message =
    "The token for the cluster is empty or has characters that no token has, such as spaces inside. Deliver it again.";
  throw new ExecutorFailure("invalid_credential", message);
}

function serverUrl(text: string, invalid: (problem: string) => ExecutorFailure): URL {
  const complete = /^https?:\/\//u.test(text) ? text : `https://${text}`;
  const url = URL.canParse(complete) ? new URL(complete) : null;
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw invalid("has a server that is not an address such as https://api.example.com:6443.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw invalid(
      `has the server ${url.host} over plain http, which would show the credential to the network. Use https.`,
    );
  }
  return url;
}
