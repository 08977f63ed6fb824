import { Refused } from "./refused.ts";

/** As in sysexits.h: something that is needed is not available. */
const UNAVAILABLE = 69;

/**
 * Refuses an address (`host:port`, `[::1]:port`, `*:port`) that somebody listens on. workerd would say it with a stack
 * trace, and whoever asks whether the service is up would hear of the other one that it is. What else may be wrong with an
 * address is workerd's to say.
 */
export function requireFree(address: string): void {
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/u.exec(address) ?? [];
  if (host === "" || host === "unix") return;
  try {
    Bun.listen({ hostname: host === "*" ? "::" : host, port: Number(port), socket: { data: () => {} } }).stop(true);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EADDRINUSE") return;
    throw new Refused(
      `${address} is taken by another program. Stop that one (ss -ltnp names it), or set another LISTEN in /etc/bellhop/bellhop.env.`,
      UNAVAILABLE,
    );
  }
}
