/** Each part is a byte: a name such as 127.999.1.1 can be looked up, and mean any machine. */
const LOOPBACK_V4 = /^(?:::ffff:)?127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/u;

/**
 * Whether a host is this machine: `localhost` or a loopback address, also as an IPv6 literal in brackets. Names below
 * `localhost` do not count: some resolvers ask a DNS server for them.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/^\[(.*)\]$/u, "$1")
    .replace(/\.$/u, "")
    .toLowerCase();
  return name === "localhost" || name === "::1" || LOOPBACK_V4.test(name);
}
