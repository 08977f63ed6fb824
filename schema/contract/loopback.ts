/**
 * Whether a host is this machine: `localhost` or a loopback address, also as an IPv6 literal in brackets. Names below
 * `localhost` are not: some resolvers ask a DNS server for them.
 */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/^\[(.*)\]$/u, "$1")
    .replace(/\.$/u, "")
    .toLowerCase();
  return name === "localhost" || name === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/u.test(name);
}
