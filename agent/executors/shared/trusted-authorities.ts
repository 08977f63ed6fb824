import { getCACertificates } from "node:tls";

let trusted: string[] | null = null;

/** Bun's own list, NODE_EXTRA_CA_CERTS, and the system's list, which usually has a company's own authority. */
export function trustedAuthorities(): string[] {
  trusted ??= [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
  return trusted;
}
