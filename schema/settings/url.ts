import { isLoopback } from "../contract/loopback.ts";

interface ParsedUrl {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly origin: string;
  readonly href: string;
  readonly searchParams: { get(name: string): string | null };
}
/** Service, agent and scripts have it. */
declare const URL: { canParse(text: string): boolean; new (text: string): ParsedUrl };

/** Null for what is no address. */
export function parsedUrl(text: string): ParsedUrl | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** Whether secrets may go there: over https, or on this machine, without a login in the address. */
export function isSafeUrl(text: string): boolean {
  const url = parsedUrl(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** A login's part without percent signs; null where these are wrong. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
