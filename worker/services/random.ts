const SECRET_BYTES = 32;

/** 256 random bits, as 43 characters that fit cookies and addresses. */
export function randomSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url");
}
