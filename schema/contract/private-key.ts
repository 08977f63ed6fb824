/** A line of OpenSSH (sshd(8), "AUTHORIZED_KEYS FILE FORMAT"), also after options, and of its certificates. */
const OPENSSH_LINE = /(?:^|[ \t])(?:ssh-|ecdsa-sha2-|sk-)\S+[ \t]+AAAA/mu;
/** PEM (RFC 7468) and the form of RFC 4716, which has four dashes and a blank. */
const PUBLIC_ARMOUR = /^-{4,5} ?BEGIN [A-Z0-9 ]*PUBLIC KEY/u;
const CERTIFICATE_ARMOUR = /^-----BEGIN [A-Z0-9 ]*CERTIFICATE/u;
const PRIVATE_ARMOUR = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/u;
/** `privateKey`, `DEPLOY_PRIVATE_KEY`. */
const PRIVATE_KEY_NAME = /private[^A-Za-z0-9]?key$/iu;

/** The same check for the key of an ssh connection, which must be a private key. */
export function problemWithSshKey(value: string): string | null {
  const problem = problemWithKey("privateKey", value);
  if (problem !== null || PRIVATE_ARMOUR.test(value)) return problem;
  return "must be in PEM or OpenSSH format, as ssh-keygen writes it: from -----BEGIN … PRIVATE KEY----- to -----END … PRIVATE KEY-----";
}

/**
 * Why a secret cannot be the private key that its name promises, as the end of a sentence about the key; null when its
 * form shows no problem. A PuTTY key is refused under every name.
 */
export function problemWithKey(secretName: string, value: string): string | null {
  const text = value.trimStart();
  if (text.startsWith("PuTTY-User-Key-File")) {
    return "must be in PEM format, not PPK: convert it with puttygen key.ppk -O private-openssh -o key.pem";
  }
  // A file may hold a certificate and, after it, the private key.
  if (!PRIVATE_KEY_NAME.test(secretName) || PRIVATE_ARMOUR.test(text)) return null;
  const isPublic = OPENSSH_LINE.test(text) || PUBLIC_ARMOUR.test(text);
  if (!isPublic && !CERTIFICATE_ARMOUR.test(text)) return null;
  const what = isPublic ? "a public key" : "a certificate";
  return `must not be ${what}: deliver the matching private key, such as id_ed25519 without .pub`;
}
