import { isIP } from "node:net";
import type { Context } from "hono";
import type { AppEnv } from "./app-types.ts";

const IPV6_NETWORK_GROUPS = 4;

/**
 * The address to count a caller under; null when nobody trustworthy names it. A header that anybody can send says
 * nothing, so only the one is read that TRUSTED_CLIENT_IP_HEADER names: wrangler.toml does for Cloudflare, and whoever
 * runs the Worker elsewhere. (That there is a `request.cf` shows nothing: Miniflare takes it from a header.) Of an IPv6
 * address the network: whoever has one has all of its 2^64 addresses.
 */
export function callerAddress(context: Context<AppEnv>): string | null {
  const header = context.get("deps").settings.clientIpHeader;
  // Of a list, what the nearest proxy has added: what stands before it may be the caller's own words.
  const address = header === null ? "" : (context.req.header(header)?.split(",").at(-1)?.trim() ?? "");
  return isIP(address) === 0 ? null : networkOf(address);
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
