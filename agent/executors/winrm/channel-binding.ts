import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/** The last arc of 1.2.840.113549.1.1.x and 1.2.840.10045.4.3.x, with the hash of the certificate's signature. */
const RSA = "2a864886f70d0101";
const ECDSA = "2a8648ce3d0403";
const HASHES: Readonly<Record<string, string>> = {
  [`${RSA}0c`]: "sha384",
  [`${RSA}0d`]: "sha512",
  [`${ECDSA}03`]: "sha384",
  [`${ECDSA}04`]: "sha512",
};

/**
 * The hash of the host's certificate, which its "extended protection" compares with its own (RFC 5929, 4.1). It uses
 * the hash function of the certificate's signature, or SHA-256 instead of an older one. Null without TLS.
 */
export function serverEndPoint(socket: Duplex): Buffer | null {
  if (!(socket instanceof TLSSocket)) return null;
  const certificate = socket.getPeerCertificate(true).raw;
  if (!Buffer.isBuffer(certificate)) return null;
  return createHash(HASHES[signatureAlgorithm(certificate)] ?? "sha256")
    .update(certificate)
    .digest();
}

/** The object identifier, in hex, after the first part of `Certificate ::= {tbs, {algorithm …}, signature}`. */
function signatureAlgorithm(der: Buffer): string {
  const certificate = content(der, 0);
  const algorithm = content(der, content(der, certificate.start).end);
  const identifier = content(der, algorithm.start);
  return der.subarray(identifier.start, identifier.end).toString("hex");
}

function content(der: Buffer, at: number): { start: number; end: number } {
  const first = der[at + 1] ?? 0;
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const lengthBytes = Math.min(first & 0x7f, 4);
  const start = at + 2 + lengthBytes;
  return { start, end: lengthBytes === 0 ? start : start + der.readUIntBE(at + 2, lengthBytes) };
}
