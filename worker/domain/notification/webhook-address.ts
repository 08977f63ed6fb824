import { isLoopback } from "../../../schema/contract/loopback.ts";

/**
 * What is wrong with a webhook's address as it was written: the end of a sentence that begins with its name; null when
 * nothing is. Whoever sends looks again, at what a URL parser makes of it.
 */
export function checkWebhookAddress(text: string): string | null {
  const found = /^(?<scheme>https?):\/\/(?<authority>[^/?#\\\s]+)(?:[/?#][^\s]*)?$/iu.exec(text.trim())?.groups;
  const authority = found?.["authority"];
  if (authority === undefined) return "must be an address like https://example.com/hooks/alerts";
  if (authority.includes("@")) {
    return "must not have a user and password in its address: the receiver checks the signature";
  }
  const host = authority.replace(/:\d*$/u, "");
  return found?.["scheme"]?.toLowerCase() === "http" && !isLoopback(host)
    ? "must be an https address; http is only for this machine"
    : null;
}
