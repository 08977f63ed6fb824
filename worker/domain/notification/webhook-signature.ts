/** Standard Webhooks: the signed bytes and the header. The caller signs with HMAC-SHA256. */

/** The bytes that a signature covers; the time is the attempt's, in whole seconds. */
export function signingInput(id: string, timestampSeconds: number, body: string): string {
  return `${id}.${timestampSeconds}.${body}`;
}

/** One signature for each key, so that a receiver may have either key during a change. */
export function signatureHeader(signatures: readonly string[]): string {
  return signatures.map((signature) => `v1,${signature}`).join(" ");
}
