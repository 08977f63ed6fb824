import { getCACertificates } from "node:tls";

let trusted: string[] | null = null;

/** Bun's own list, NODE_EXTRA_CA_CERTS, and what the system trusts: a company's authority is usually there. */
export function trustedAuthorities(): string[] {
  trusted ??= [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
  return trusted;
}
