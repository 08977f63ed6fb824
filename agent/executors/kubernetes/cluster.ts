import { createHash } from "node:crypto";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure } from "../shared/failures.ts";

/** Where a cluster's API is and who asks it: what a kubeconfig, a token or the pod that the agent runs in say together. */
export interface Cluster {
  /** For people: "context prod of /etc/kubeconfig", "the cluster that this agent runs in". */
  origin: string;
  server: URL;
  /** PEM; the only authorities that are trusted. Null: those of the agent's host. */
  authorities: string | null;
  verify: boolean;
  /** The name in the server's certificate, where it is not the address's (tls-server-name). */
  serverName: string | null;
  /** Instead of what the agent's environment says. */
  proxyUrl: string | null;
  login: ClusterLogin;
}

export interface ClusterLogin {
  /** The value of the Authorization header. */
  authorization: string | null;
  clientCertificate: ClientCertificate | null;
  /** What the kubeconfig says it acts as (as, as-uid, as-groups), as headers; null for itself. */
  impersonation: { headers: Record<string, string>; groups: string[] } | null;
}

/** PEM, both. */
export interface ClientCertificate {
  cert: string;
  key: string;
}

export const NO_LOGIN: ClusterLogin = { authorization: null, clientCertificate: null, impersonation: null };

/** Refuses what no header can carry. */
export function bearer(token: string): ClusterLogin {
  const trimmed = token.trim();
  if (!/^[\u0021-\u007e]+$/u.test(trimmed)) {
    const message =
      "The token for the cluster is empty or has characters that no token has, such as spaces inside. Deliver it again.";
    throw new ExecutorFailure("invalid_credential", message);
  }
  return { ...NO_LOGIN, authorization: `Bearer ${trimmed}` };
}

/**
 * What a delivered token is bound to: with it, only this server could be the one that answers. The proxy is part of it,
 * because a proxy reads what is sent in plain or without a check of the certificate. Its login is left out: it is a secret.
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

/** "a client certificate and a token" */
export function kindOfLogin({ authorization, clientCertificate }: ClusterLogin): string {
  const kinds = [
    ...(clientCertificate === null ? [] : ["a client certificate"]),
    ...(authorization === null ? [] : [authorization.startsWith("Basic ") ? "a user and password" : "a token"]),
  ];
  return kinds.length === 0 ? "no credential" : kinds.join(" and ");
}
