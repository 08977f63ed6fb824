import { isLoopback } from "../../../schema/contract/loopback.ts";

/**
 * The problem with a webhook's address as it was written, as the end of a sentence that begins with the parameter's
 * name; null without one. The sender checks again after URL parsing.
 */
export function checkWebhookAddress(text: string): string | null {
  const found = /^(?<scheme>https?):\/\/(?<authority>[^/?#\\\s]+)(?:[/?#][^\s]*)?$/iu.exec(text.trim())?.groups;
  const authority = found?.["authority"];
  if (authority === undefined) return "must be an address like https://example.com/hooks/alerts";
  if (authority.includes("@")) {
    return "must not include a user or password: the receiver checks the signature";
  }
  const host = authority.replace(/:\d*$/u, "");
  return found?.["scheme"]?.toLowerCase() === "http" && !isLoopback(host)
    ? "must be an https address; http is only for this machine"
    : null;
}
