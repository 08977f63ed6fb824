import { Refused } from "./refused.ts";

/** EX_UNAVAILABLE of sysexits.h: a needed service is not available. */
const UNAVAILABLE = 69;

/**
 * Refuses an address (`host:port`, `[::1]:port`, `*:port`) that is in use. workerd would only print a stack trace, and
 * a health check of this address would reach the other program and pass. Any other problem with an address is left to
 * workerd.
 */
export function requireFree(address: string): void {
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/u.exec(address) ?? [];
  if (host === "" || host === "unix") return;
  try {
    Bun.listen({ hostname: host === "*" ? "::" : host, port: Number(port), socket: { data: () => {} } }).stop(true);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EADDRINUSE") return;
    throw new Refused(
      `${address} is taken by another program. Stop that program (ss -ltnp names it), or set another LISTEN in /etc/bellhop/bellhop.env.`,
      UNAVAILABLE,
    );
  }
}
