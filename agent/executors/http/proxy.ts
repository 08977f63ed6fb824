import { BlockList, isIPv4, isIPv6 } from "node:net";
import { isLoopbackUrl } from "../../../schema/settings/agent-url.ts";
import { ExecutorFailure } from "../shared/failures.ts";

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a target (HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in either case); null for none.
 */
export function proxyFor(target: URL, environment: ProxyEnvironment): URL | null {
  const name = target.protocol === "https:" ? "https_proxy" : "http_proxy";
  const address = setting(environment, name);
  if (address === "" || isExcepted(target, setting(environment, "no_proxy"))) return null;
  const complete = address.includes("://") ? address : `http://${address}`;
  const proxy = URL.canParse(complete) ? new URL(complete) : null;
  if (proxy === null || (proxy.protocol !== "http:" && proxy.protocol !== "https:")) {
    // Not repeated, because it may contain a password.
    const message = `${name.toUpperCase()} of the agent is not the address of an HTTP proxy. It must be like http://proxy.example.com:3128.`;
    throw new ExecutorFailure("unreachable", message);
  }
  return proxy;
}

/**
 * The environment for a credential that may be sent unencrypted only on this machine: plain http to loopback uses no
 * proxy, which would read the credential.
 */
export function keepingPlainHere(target: URL, environment: ProxyEnvironment): ProxyEnvironment {
  return target.protocol === "http:" && isLoopbackUrl(target.href) ? {} : environment;
}

/** The Proxy-Authorization header for the login in the proxy's address; null without one. */
export function proxyAuthorization(proxy: URL): string | null {
  if (proxy.username === "" && proxy.password === "") return null;
  const login = `${decoded(proxy.username)}:${decoded(proxy.password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

function setting(environment: ProxyEnvironment, name: string): string {
  return (environment[name] ?? environment[name.toUpperCase()] ?? "").trim();
}

/** NO_PROXY: names with everything below them, `*`, addresses and networks, each optionally with a port. */
function isExcepted(target: URL, exceptions: string): boolean {
  const host = target.hostname.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  const port = target.port === "" ? (target.protocol === "https:" ? "443" : "80") : target.port;
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/u)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return inNetwork(host, entry);
      const [, name = entry, entryPort] = /^(.*?|\[.*\])(?::(\d+))?$/u.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const suffix = name.replace(/^\[(.*)\]$/u, "$1").replace(/^\*?\./u, "");
      return host === suffix || host.endsWith(`.${suffix}`);
    });
}

function inNetwork(host: string, network: string): boolean {
  const [address = "", bits] = network.split("/");
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : null;
  if (family === null || !(family === "ipv4" ? isIPv4(host) : isIPv6(host))) return false;
  const size = Number(bits);
  if (!Number.isInteger(size) || size < 0 || size > (family === "ipv4" ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, size, family);
  return list.check(host, family);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
