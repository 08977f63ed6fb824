import { lookup } from "node:dns/promises";
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Address ranges that the HTTP executor may not reach (docs/design/connections.md#network-guard). */
const PRIVATE_IPV4 = [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  // "This host", provider-internal, benchmark and protocol ranges, multicast, reserved and broadcast.
  ["0.0.0.0", 8],
  ["100.64.0.0", 10],
  ["192.0.0.0", 24],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;
const PRIVATE_IPV6 = [
  ["::", 128],
  ["::1", 128],
  // Unique local, link-local, the old site-local, multicast; Teredo and local NAT64, which contain an IPv4 address.
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
  ["2001::", 32],
  ["64:ff9b:1::", 48],
] as const;

/** IPv6 prefixes followed by an IPv4 address: compatible, translated, NAT64, 6to4. */
const CARRIERS = [
  { prefix: "::", bits: 96 },
  { prefix: "::ffff:0:", bits: 96 },
  { prefix: "64:ff9b::", bits: 96 },
  { prefix: "2002:", bits: 16 },
] as const;

const RANGES = [...PRIVATE_IPV6.map(ipv6Range), ...PRIVATE_IPV4.map(ipv4Range)];

/** The private range of a literal address, such as `10.0.0.0/8`; null for a public address. */
export function privateRangeOf(address: string): string | null {
  const literal = address.replace(/%.*$/u, "");
  const family = isIPv4(literal) ? "ipv4" : isIPv6(literal) ? "ipv6" : null;
  // Not known to be public.
  if (family === null) return "unknown addresses";
  return RANGES.find(({ list }) => list.check(literal, family))?.name ?? null;
}

/** Names of this machine, the local network or a provider's internal services (RFC 6761, RFC 6762). */
export function isLocalName(hostname: string): boolean {
  return /(?:^|\.)localhost\.*$|\.(?:internal|local)\.*$/iu.test(hostname);
}

/** All addresses of a host name, as the system resolves it. */
export type Lookup = (hostname: string) => Promise<string[]>;

export const systemLookup: Lookup = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

export type GuardVerdict =
  | { allowed: true; addresses: [string, ...string[]] }
  | { allowed: false; address: string; range: string };

/**
 * Resolves a host once and says whether it may be reached. The caller must connect to these addresses and not resolve
 * the name again: the next answer may differ. One private address among several refuses them all.
 */
export async function checkHost(
  hostname: string,
  { allowPrivateNetwork, lookup: resolve = systemLookup }: { allowPrivateNetwork: boolean; lookup?: Lookup },
): Promise<GuardVerdict> {
  const literal = hostname.replace(/^\[(.*)\]$/u, "$1");
  const addresses = isIPv4(literal) || isIPv6(literal) ? [literal] : await resolve(literal);
  const [first, ...others] = addresses;
  if (first === undefined) throw Object.assign(new Error(`${hostname} has no address`), { code: "ENODATA" });
  for (const address of allowPrivateNetwork ? [] : addresses) {
    const range = privateRangeOf(address);
    if (range !== null) return { allowed: false, address, range };
  }
  return { allowed: true, addresses: [first, ...others] };
}

function ipv4Range([network, bits]: readonly [string, number]): { name: string; list: BlockList } {
  const list = new BlockList();
  // Also matches the mapped form, ::ffff:127.0.0.1.
  list.addSubnet(network, bits, "ipv4");
  const [a = 0, b = 0, c = 0, d = 0] = network.split(".").map(Number);
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  for (const carrier of CARRIERS) {
    const address = carrier.bits === 16 ? `${carrier.prefix}${groups}::` : `${carrier.prefix}${groups}`;
    list.addSubnet(address, carrier.bits + bits, "ipv6");
  }
  return { name: `${network}/${bits}`, list };
}

function ipv6Range([network, bits]: readonly [string, number]): { name: string; list: BlockList } {
  const list = new BlockList();
  list.addSubnet(network, bits, "ipv6");
  return { name: `${network}/${bits}`, list };
}
