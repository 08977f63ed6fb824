import { createPrivateKey, X509Certificate } from "node:crypto";
import { ExecutorFailure } from "../shared/failures.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/** PEM, both. */
export interface ClientCertificate {
  cert: string;
  key: string;
}

/** Checks PEM before it reaches TLS, whose own errors do not say which of these texts is wrong. */
export function checkedAuthorities(pem: string, source: string): string {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw unusable(`The certificate authority in ${source} is not a certificate in PEM form.`);
  }
  return pem;
}

export function checkedClientCertificate({ cert, key }: ClientCertificate, source: string): ClientCertificate {
  if (!isCertificate(cert)) throw unusable(`The client certificate in ${source} is not a certificate in PEM form.`);
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    throw unusable(`The client key in ${source} is not a private key in PEM form without a passphrase.`);
  }
  if (!fits) throw unusable(`The client key in ${source} does not belong to its client certificate.`);
  return { cert, key };
}

/** When a client certificate ended, if it has: an API server only says "Unauthorized". */
export function endedAt({ cert }: ClientCertificate, nowMs: number): string | null {
  const { validTo } = new X509Certificate(cert);
  return Date.parse(validTo) < nowMs ? validTo : null;
}

/** The `…-data` fields hold PEM in base64. */
export function decodedData(data: string, field: string, source: string): string {
  const compact = data.replaceAll(/\s/gu, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(compact)) throw unusable(`${field} in ${source} is not base64.`);
  return Buffer.from(compact, "base64").toString("utf8");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null;
  } catch {
    return false;
  }
}

function unusable(message: string): ExecutorFailure {
  return new ExecutorFailure("invalid_credential", `${message} Deliver the kubeconfig again.`);
}
