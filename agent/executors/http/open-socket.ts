import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type GuardVerdict, checkHost, isLocalName, type Lookup } from "../../network-guard.ts";
import { dial, unreachable } from "../shared/dial.ts";
import { errorCode, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { proxyAuthorization, proxyFor, type ProxyEnvironment } from "./proxy.ts";
import { startHttpTls, type TlsIdentity } from "./start-tls.ts";
import { tunnel } from "./tunnel.ts";

/** One of several addresses that drops packets must not use up the time of all. */
const DIAL_TIMEOUT_MS = 10_000;
/** Answers of a working DNS. Any other error says nothing about the name. */
const NO_SUCH_NAME = new Set(["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA"]);
const WHEN_BLOCKED =
  "This agent reaches public addresses only; set ALLOW_PRIVATE_NETWORK=true in its environment if its workflows may reach " +
  "your own network.";

export interface Network {
  allowPrivateNetwork: boolean;
  lookup: Lookup;
  environment: ProxyEnvironment;
}

/** The stage of opening a socket. `proxy` lasts until the proxy's own answer. */
export type SocketStage = "lookup" | "dial" | "proxy" | "tls" | "open";

export interface Route extends Network {
  target: URL;
  verifySsl: boolean;
  /** What to do about an untrusted certificate, for connections without verifySsl. */
  whenUntrusted?: string;
  /** Client certificate and trusted authorities, if the connection has its own. */
  identity?: TlsIdentity;
  /** Replaces the proxy of the environment; `setting` names it in errors. */
  ownProxy?: { url: URL; setting: string };
  signal: AbortSignal;
  /** Called when a stage begins. A failure or a time-out belongs to the last one. */
  onStage?: (stage: SocketStage) => void;
}

export interface OpenSocket {
  socket: Duplex;
  /** Set when a proxy reads the requests on this socket. Then they contain the whole address and the proxy's login. */
  forwarding: { authorization: string | null } | null;
}

/**
 * Opens a socket to a target. Resolves the host once, checks the addresses, and connects only to these addresses.
 * Throws `address_blocked`, `unreachable`, `tls_error` or `job_ended`.
 */
export async function openSocket(route: Route): Promise<OpenSocket> {
  const { target, signal, verifySsl, whenUntrusted, identity, ownProxy, onStage } = route;
  const secure = target.protocol === "https:";
  const port = target.port === "" ? (secure ? 443 : 80) : Number(target.port);
  const proxy = ownProxy?.url ?? proxyFor(target, route.environment);
  onStage?.("lookup");
  const addresses = await checkedAddresses(route, proxy !== null);
  const where = `${target.hostname}:${port}`;
  const opened = async (raw: Duplex): Promise<Duplex> => {
    if (secure) onStage?.("tls");
    const tls = { host: target.hostname, where, verifySsl, whenUntrusted, identity, signal };
    const socket = secure ? await startHttpTls(raw, tls) : raw;
    onStage?.("open");
    return socket;
  };
  if (proxy === null) {
    onStage?.("dial");
    return { socket: await opened(await dialAny(addresses, port, where, signal)), forwarding: null };
  }
  onStage?.("proxy");
  const proxySocket = await openProxy(proxy, signal);
  if (!secure) {
    return { socket: await opened(proxySocket), forwarding: { authorization: proxyAuthorization(proxy) } };
  }
  const authorization = proxyAuthorization(proxy);
  const tunnelled = await tunnel(proxySocket, { where, authorization, setting: ownProxy?.setting, signal });
  return { socket: await opened(tunnelled), forwarding: null };
}

async function checkedAddresses(route: Route, viaProxy: boolean): Promise<string[]> {
  const { hostname } = route.target;
  // A proxy resolves the name again, and for such a name its result is never public.
  if (viaProxy && !route.allowPrivateNetwork && isLocalName(hostname)) {
    throw new ExecutorFailure("address_blocked", `${hostname} is a name in a private network. ${WHEN_BLOCKED}`);
  }
  let verdict: GuardVerdict;
  try {
    verdict = await untilAborted(checkHost(hostname, route), route.signal);
  } catch (error) {
    if (error instanceof ExecutorFailure) throw error;
    // In many networks only the proxy resolves outside names. Then its rules apply.
    if (viaProxy && (route.allowPrivateNetwork || NO_SUCH_NAME.has(errorCode(error)))) return [];
    throw unreachable(hostname, error);
  }
  if (verdict.allowed) return verdict.addresses;
  const literal = isIP(hostname.replace(/^\[(.*)\]$/u, "$1")) !== 0;
  throw new ExecutorFailure(
    "address_blocked",
    `${literal ? `${hostname} is` : `${hostname} resolves to ${verdict.address},`} a private address (${verdict.range}). ${WHEN_BLOCKED}`,
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

/** The operator chose the proxy, so its address is not checked. */
async function openProxy(proxy: URL, signal: AbortSignal): Promise<Duplex> {
  const secure = proxy.protocol === "https:";
  const port = proxy.port === "" ? (secure ? 443 : 80) : Number(proxy.port);
  const where = `the proxy ${proxy.hostname}:${port}`;
  const raw = await dial({ host: proxy.hostname, port, where, timeoutMs: DIAL_TIMEOUT_MS, signal });
  return secure ? await startHttpTls(raw, { host: proxy.hostname, where, verifySsl: true, signal }) : raw;
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(jobEnded("It was still looking up the host."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
