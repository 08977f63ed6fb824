import type { Context } from "hono";
import type { AppEnv } from "./app-types.ts";

/** Where nothing stands in front that names the caller, all callers are one. */
const UNKNOWN_ADDRESS = "local";
const IPV6_NETWORK_GROUPS = 4;

/**
 * The address to count a caller under, as Cloudflare, or a proxy in its place, names it. Of an IPv6 address the network:
 * whoever has one has all of its 2^64 addresses.
 */
export function callerAddress(context: Context<AppEnv>): string {
  return networkOf(context.req.header("CF-Connecting-IP") ?? UNKNOWN_ADDRESS);
}

export function networkOf(address: string): string {
  if (!address.includes(":") || !URL.canParse(`http://[${address}]/`)) return address;
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const before = head.split(":").filter((group) => group !== "");
  const after = (tail ?? "").split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...zeros, ...after];
  // An IPv4 address in IPv6's clothes (RFC 4291, 2.5.5.2) is one address.
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return groups.join(":");
  return `${groups.slice(0, IPV6_NETWORK_GROUPS).join(":")}::/64`;
}
