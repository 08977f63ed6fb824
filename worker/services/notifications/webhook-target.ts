import { BlockList, isIPv4, isIPv6 } from "node:net";
import { isLoopback } from "../../../schema/contract/loopback.ts";

/** This machine, private networks, and other ranges without receivers on the internet (RFC 6890). */
const PRIVATE = blockList([
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  ["64:ff9b::", 32, "ipv6"],
  ["2001::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 9, "ipv6"],
  ["ff00::", 8, "ipv6"],
]);
const PRIVATE_SUFFIXES = [".localhost", ".local", ".internal", ".home.arpa"];

export type WebhookTarget =
  | { readonly ok: true; readonly url: string; readonly shown: string }
  | { readonly ok: false; readonly code: "invalid_params" | "address_blocked"; readonly message: string };

/**
 * Whether a webhook's address may be called. Only the text is checked: a Worker cannot see what a name resolves to. On
 * Cloudflare's network private addresses cannot be reached at all. Under `npm start`, with the database on this
 * machine, they can, and so can a name that resolves to one.
 */
export function checkWebhookTarget(text: string, allowPrivate: boolean): WebhookTarget {
  const url = URL.parse(text.trim());
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return invalid('For the channel webhook, "to" must be an address like https://example.com/hooks/alerts.');
  }
  if (url.username !== "" || url.password !== "") {
    return invalid("The webhook's address must not include a user or password: its receiver checks the signature.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return invalid("The webhook's address must be https; http is only for this machine.");
  if (!allowPrivate && isPrivateHost(url.hostname)) {
    const message =
      `${url.hostname} is an address of this machine or of a private network. If notifications may go there, set ` +
      "NOTIFY_WEBHOOK_ALLOW_PRIVATE to true.";
    return { ok: false, code: "address_blocked", message };
  }
  url.hash = "";
  // Queries, and paths of some chat services, hold secrets; without the path two receivers would look the same.
  return { ok: true, url: url.href, shown: `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}` };
}

/** `hostname` as URL gives it, with addresses in other notations normalised. */
export function isPrivateHost(hostname: string): boolean {
  if (isLoopback(hostname)) return true;
  const host = hostname.replace(/^\[(.*)\]$/u, "$1").replace(/\.$/u, "");
  if (isIPv4(host)) return PRIVATE.check(host, "ipv4");
  if (isIPv6(host)) return PRIVATE.check(host, "ipv6");
  return !host.includes(".") || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));
}

function invalid(message: string): WebhookTarget {
  return { ok: false, code: "invalid_params", message };
}

function blockList(ranges: readonly (readonly [string, number, "ipv4" | "ipv6"])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits, family] of ranges) list.addSubnet(network, bits, family);
  return list;
}
