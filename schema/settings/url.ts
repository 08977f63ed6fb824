import { isLoopback } from "../contract/loopback.ts";

type Part =
  | "protocol"
  | "username"
  | "password"
  | "hostname"
  | "port"
  | "pathname"
  | "search"
  | "hash"
  | "origin"
  | "href";
type ParsedUrl = Readonly<Record<Part, string>> & { readonly searchParams: { get(name: string): string | null } };
/** Available in the service, the agent and scripts. */
declare const URL: { parse(text: string): ParsedUrl | null };

/** Null for a text that is no address of a server: port 0 takes no connection. */
export function parsedUrl(text: string): ParsedUrl | null {
  const url = anyUrl(text);
  return url?.port === "0" ? null : url;
}

/** As `parsedUrl`, for addresses that are no settings: also with port 0. */
export function anyUrl(text: string): ParsedUrl | null {
  return URL.parse(text);
}

/** Whether secrets may be sent there: over https, or on this machine, without a login in the address. */
export function isSafeUrl(text: string): boolean {
  const url = parsedUrl(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** Whether it is a safe address with a bucket in its path, which needs no encoding. */
export function isBucketUrl(text: string): boolean {
  const url = parsedUrl(text);
  return url !== null && isSafeUrl(text) && url.search === "" && url.hash === "" && BUCKET_PATH.test(url.pathname);
}
const BUCKET_PATH = /^(?:\/[A-Za-z0-9._-]+)+\/?$/u;

/** Whether a libSQL server may be at this address. A token in it would be shown with the address. */
export function isDatabaseUrl(text: string): boolean {
  const address = text.replace(/^libsql:/u, "https:");
  return isSafeUrl(address) && parsedUrl(address)?.search === "";
}

/** A decoded part of a login; null for invalid percent encoding. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
