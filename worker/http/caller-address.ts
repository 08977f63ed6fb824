import { isIP } from "node:net";
import type { Context } from "hono";
import type { AppEnv } from "./app-types.ts";

const IPV6_NETWORK_GROUPS = 4;

/**
 * The address by which a caller is counted; null without a trustworthy source. Any client can send a header, so only
 * the one in TRUSTED_CLIENT_IP_HEADER counts: wrangler.toml sets it for Cloudflare, and other operators set their own.
 * A `request.cf` proves nothing, because Miniflare takes it from a header. For IPv6 the result is the network, because
 * its owner has all of its 2^64 addresses.
 */
export function callerAddress(context: Context<AppEnv>): string | null {
  const header = context.get("deps").settings.clientIpHeader;
  // The last entry of a list is the nearest proxy's. Earlier entries may come from the caller.
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
  // An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) is a single address.
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return groups.join(":");
  return `${groups.slice(0, IPV6_NETWORK_GROUPS).join(":")}::/64`;
}
