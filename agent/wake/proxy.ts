import { BlockList, isIP } from "node:net";
import type { Environment } from "../config.ts";
import { isLoopbackUrl } from "../../schema/settings/agent-url.ts";

/**
 * The proxy that fetch uses for an https address in this environment; null for a direct connection. The WebSocket reads
 * no proxy variables. Lower-case names come first, an empty variable counts as unset, and loopback uses no proxy. A
 * test compares the result with fetch itself.
 */
export function proxyFor(serviceUrl: string, env: Environment): string | null {
  if (isLoopbackUrl(serviceUrl)) return null;
  const url = new URL(serviceUrl);
  if (url.protocol !== "https:") return null;
  const proxy = firstOf(env, ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]);
  const exceptions = firstOf(env, ["no_proxy", "NO_PROXY"]) ?? "";
  if (proxy === null || isException(url, exceptions)) return null;
  return proxy;
}

function firstOf(env: Environment, names: readonly string[]): string | null {
  for (const name of names) {
    const value = env[name]?.trim() ?? "";
    if (value !== "") return value;
  }
  return null;
}

function isException(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/gu, "").toLowerCase();
  const port = url.port === "" ? "443" : url.port;
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/u)
    .some((entry) => entry !== "" && covers(entry, host, port));
}

/** An entry is `*`, a name with all names below it, an address, or a range. All but a range may have a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (isIP(host) !== 0 && entry.includes("/")) return inRange(entry, host);
  const { name, port: only } = withPort(entry);
  if (only !== null && only !== port) return false;
  if (isIP(host) !== 0) return name === host;
  const domain = name.replace(/^\*?\./u, "").replace(/\.$/u, "");
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

function withPort(entry: string): { name: string; port: string | null } {
  const bracketed = /^\[(.+)\](?::(\d+))?$/u.exec(entry);
  if (bracketed !== null) return { name: bracketed[1] ?? "", port: bracketed[2] ?? null };
  // More than one colon means an IPv6 address without brackets.
  const plain = /^([^:]*):(\d+)$/u.exec(entry);
  return plain === null ? { name: entry, port: null } : { name: plain[1] ?? "", port: plain[2] ?? null };
}

function inRange(entry: string, host: string): boolean {
  const [network = "", bits = ""] = entry.split("/");
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  if (isIP(network) === 0 || isIP(network) !== isIP(host) || !/^\d{1,3}$/u.test(bits)) return false;
  if (Number(bits) > (family === "ipv6" ? 128 : 32)) return false;
  const range = new BlockList();
  range.addSubnet(network, Number(bits), family);
  return range.check(host, family);
}
