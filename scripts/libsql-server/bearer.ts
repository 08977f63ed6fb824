import { createHash, timingSafeEqual } from "node:crypto";

/** A check of `Authorization: Bearer <token>` in constant time. Without a token every request passes. */
export function bearerCheck(token: string | undefined): (request: Request) => boolean {
  if (token === undefined) return () => true;
  const expected = digest(`Bearer ${token}`);
  return (request) => timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected);
}

/** The comparison needs equal lengths for all tokens. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
