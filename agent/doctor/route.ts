import { getCACertificates } from "node:tls";
import { isLoopbackUrl } from "../../schema/settings/agent-url.ts";
import type { Environment } from "../config.ts";
import { openSocket } from "../executors/http/open-socket.ts";
import type { SocketStage } from "../executors/http/open-socket.ts";
import { proxyFor } from "../executors/http/proxy.ts";
import { errorMessage, ExecutorFailure } from "../executors/shared/failures.ts";
import { trustedAuthorities } from "../executors/shared/trusted-authorities.ts";
import { systemLookup } from "../network-guard.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";
import { answersPlainHttp } from "./plain-http.ts";

const STEP_TIMEOUT_MS = 10_000;
/** How a handshake fails where no certificate came. */
const NO_TLS = /no answer within|WRONG_VERSION|EPROTO|ECONNRESET|disconnected before|closed the connection/u;
const proxyCheck = checksNamed("proxy");
const reach = checksNamed("address");
const tls = checksNamed("certificate");

/**
 * Tries the agent's way to the service step by step: proxy, name, connection, certificate. Sends nothing. `open` says
 * whether a request can follow.
 */
export async function checkRoute(apiUrl: URL, environment: Environment): Promise<{ checks: Check[]; open: boolean }> {
  const loopback = isLoopbackUrl(apiUrl.href);
  const env = loopback ? {} : environment;
  const { check, proxy } = proxyOf(apiUrl, environment, loopback);
  if (check.status === "fail") return { checks: [check], open: false };
  const attempt = await tryOpening(apiUrl, env, "agent");
  const port = apiUrl.port || (apiUrl.protocol === "https:" ? "443" : "80");
  const host = `${apiUrl.hostname}:${port}`;
  const secure = apiUrl.protocol === "https:";
  if (attempt.failure === null) {
    const via = proxy === null ? await addressesOf(apiUrl) : `through the proxy ${proxy.host}`;
    const checks = [check, reach.ok(`${host} accepts connections (${via}, ${attempt.ms} ms)`)];
    if (secure) checks.push(tls.ok(`the certificate is valid for ${apiUrl.hostname}`));
    return { checks, open: true };
  }
  if (attempt.stage === "tls") {
    const found = await certificateCheck(apiUrl, env, { failure: attempt.failure, direct: proxy === null });
    return { checks: [check, reach.ok(`${host} accepts connections`), found], open: false };
  }
  const failing =
    attempt.stage === "proxy"
      ? proxyCheck.fail(
          attempt.failure,
          "correct HTTPS_PROXY, or repair the proxy: the agent reaches the service only through it",
        )
      : null;
  if (failing !== null) return { checks: [failing], open: false };
  return { checks: [check, reach.fail(attempt.failure, adviceForAddress(attempt.stage, proxy))], open: false };
}

function proxyOf(apiUrl: URL, environment: Environment, loopback: boolean): { check: Check; proxy: URL | null } {
  if (loopback) return { check: proxyCheck.ok("none: the address is on this machine"), proxy: null };
  try {
    const proxy = proxyFor(apiUrl, environment);
    // The proxy's login is not shown.
    if (proxy !== null) return { check: proxyCheck.ok(`${proxy.protocol}//${proxy.host} (HTTPS_PROXY)`), proxy };
    const exempted = proxyFor(apiUrl, { ...environment, NO_PROXY: "", no_proxy: "" }) !== null;
    const found = exempted ? `none: NO_PROXY exempts ${apiUrl.hostname}` : "none: HTTPS_PROXY is not set";
    return { check: proxyCheck.ok(found), proxy: null };
  } catch (error) {
    return {
      check: proxyCheck.fail(errorMessage(error).replace(/\.$/u, ""), "set HTTPS_PROXY to the proxy's address"),
      proxy: null,
    };
  }
}

/** `agent` trusts what the agent's calls trust; `system` adds the authorities of this machine's other programs. */
async function tryOpening(
  target: URL,
  environment: Environment,
  trust: "agent" | "system",
): Promise<{ failure: string | null; stage: SocketStage; ms: number }> {
  let stage: SocketStage = "lookup";
  const begun = performance.now();
  const limit = AbortSignal.timeout(STEP_TIMEOUT_MS);
  const authorities = trust === "agent" ? getCACertificates("default") : trustedAuthorities();
  try {
    const { socket } = await openSocket({
      target,
      environment,
      allowPrivateNetwork: true,
      lookup: systemLookup,
      verifySsl: true,
      whenUntrusted: "The agent sends its key only to a service that proves who it is",
      identity: { authorities: authorities.join("\n"), clientCertificate: null, serverName: null },
      signal: limit,
      onStage: (next) => (stage = next),
    });
    socket.destroy();
    return { failure: null, stage, ms: Math.round(performance.now() - begun) };
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const failure = limit.aborted
      ? `no answer within ${STEP_TIMEOUT_MS / 1_000} s at this step: ${error.message}`
      : error.message;
    return { failure: failure.replace(/\.$/u, ""), stage, ms: Math.round(performance.now() - begun) };
  }
}

async function addressesOf({ hostname }: URL): Promise<string> {
  const found = await systemLookup(hostname.replace(/^\[(.*)\]$/u, "$1")).catch(() => []);
  return found.slice(0, 3).join(", ") || "directly";
}

/** Why there is no secure connection. Without a certificate the certificate is not blamed. */
async function certificateCheck(
  apiUrl: URL,
  env: Environment,
  { failure, direct }: { failure: string; direct: boolean },
): Promise<Check> {
  if (!NO_TLS.test(failure)) {
    return tls.fail(failure, adviceForTls((await tryOpening(apiUrl, env, "system")).failure === null));
  }
  if (!direct || !(await answersPlainHttp(apiUrl))) {
    return tls.fail(failure, "check that this port speaks TLS, and that no firewall blocks it");
  }
  return tls.fail(
    "this port answers plain http and does not speak TLS",
    isLoopbackUrl(apiUrl.href)
      ? `set AGENT_API_URL to http://${apiUrl.host}, which works on this machine only`
      : "set AGENT_API_URL to a port that speaks TLS: http:// works for this machine (127.0.0.1) only",
  );
}

function adviceForTls(trustedBySystem: boolean): string {
  const own = "set NODE_EXTRA_CA_CERTS to a PEM file with the authority that issued the certificate";
  if (!trustedBySystem) return `${own}, or correct the certificate, the address or this machine's clock`;
  return `this machine trusts the certificate, but the agent has its own list of authorities: ${own}, such as /etc/ssl/certs/ca-certificates.crt`;
}

function adviceForAddress(stage: SocketStage, proxy: URL | null): string {
  if (proxy === null && stage === "lookup")
    return "check AGENT_API_URL. If only a proxy resolves names here, set HTTPS_PROXY";
  return "check AGENT_API_URL and the network in between, and whether the agent needs HTTPS_PROXY";
}
