import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type GuardVerdict, checkHost, type Lookup } from "../../network-guard.ts";
import { dial, unreachable } from "../shared/dial.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { proxyAuthorization, proxyFor, type ProxyEnvironment } from "./proxy.ts";
import { startTls, type TlsIdentity } from "./start-tls.ts";
import { tunnel } from "./tunnel.ts";

/** With several addresses, one that swallows packets must not use up the time of all. */
const DIAL_TIMEOUT_MS = 10_000;

export interface Network {
  allowPrivateNetwork: boolean;
  lookup: Lookup;
  environment: ProxyEnvironment;
}

export interface Route extends Network {
  target: URL;
  verifySsl: boolean;
  /** What to do about a certificate that is not trusted, where the connection has no verifySsl. */
  whenUntrusted?: string;
  /** Who this end is, and whom it trusts, where that is not the same for all. */
  identity?: TlsIdentity;
  signal: AbortSignal;
}

export interface OpenSocket {
  socket: Duplex;
  /** Set when requests on this socket are read by a proxy: then they name the whole address, and carry its login. */
  forwarding: { authorization: string | null } | null;
}

/**
 * Opens the way to a target: its host is looked up once and checked, and the addresses that were checked are the ones
 * connected to. Throws `address_blocked`, `unreachable`, `tls_error` or `job_ended`.
 */
export async function openSocket(route: Route): Promise<OpenSocket> {
  const { target, signal, verifySsl, whenUntrusted, identity } = route;
  const secure = target.protocol === "https:";
  const port = target.port === "" ? (secure ? 443 : 80) : Number(target.port);
  const proxy = proxyFor(target, route.environment);
  const addresses = await checkedAddresses(route, proxy !== null);
  const where = `${target.hostname}:${port}`;
  if (proxy === null) {
    const raw = await dialAny(addresses, port, where, signal);
    return {
      socket: secure
        ? await startTls(raw, { host: target.hostname, where, verifySsl, whenUntrusted, identity, signal })
        : raw,
      forwarding: null,
    };
  }
  const proxySocket = await openProxy(proxy, signal);
  if (!secure) return { socket: proxySocket, forwarding: { authorization: proxyAuthorization(proxy) } };
  const tunnelled = await tunnel(proxySocket, { where, authorization: proxyAuthorization(proxy), signal });
  const tls = { host: target.hostname, where, verifySsl, whenUntrusted, identity, signal };
  return { socket: await startTls(tunnelled, tls), forwarding: null };
}

async function checkedAddresses(route: Route, viaProxy: boolean): Promise<string[]> {
  const { hostname } = route.target;
  let verdict: GuardVerdict;
  try {
    verdict = await untilAborted(checkHost(hostname, route), route.signal);
  } catch (error) {
    if (error instanceof ExecutorFailure) throw error;
    // Behind a proxy a host often has no DNS of its own: then the proxy alone knows the name, and its rules hold.
    if (viaProxy) return [];
    throw unreachable(hostname, error);
  }
  if (verdict.allowed) return verdict.addresses;
  const literal = isIP(hostname.replace(/^\[(.*)\]$/u, "$1")) !== 0;
  throw new ExecutorFailure(
    "address_blocked",
    `${literal ? `${hostname} is` : `${hostname} resolves to ${verdict.address},`} a private address (${verdict.range}). This ` +
      "agent reaches public addresses only; set ALLOW_PRIVATE_NETWORK=true in its environment if its workflows may reach " +
      "your own network.",
  );
}

async function dialAny(
  addresses: readonly string[],
  port: number,
  where: string,
  signal: AbortSignal,
): Promise<Duplex> {
  let failure: unknown;
  for (const host of addresses) {
    try {
      return await dial({ host, port, where, timeoutMs: DIAL_TIMEOUT_MS, signal });
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw failure;
}

/** The proxy is the operator's own choice: its address is not checked. */
async function openProxy(proxy: URL, signal: AbortSignal): Promise<Duplex> {
  const secure = proxy.protocol === "https:";
  const port = proxy.port === "" ? (secure ? 443 : 80) : Number(proxy.port);
  const where = `the proxy ${proxy.hostname}:${port}`;
  const raw = await dial({ host: proxy.hostname, port, where, timeoutMs: DIAL_TIMEOUT_MS, signal });
  return secure ? await startTls(raw, { host: proxy.hostname, where, verifySsl: true, signal }) : raw;
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(jobEnded("It was still looking up the host."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
