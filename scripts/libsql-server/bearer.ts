import { createHash, timingSafeEqual } from "node:crypto";

/** A check of `Authorization: Bearer <token>` that takes the same time for every wrong token; none is needed without. */
export function bearerCheck(token: string | undefined): (request: Request) => boolean {
  if (token === undefined) return () => true;
  const expected = digest(`Bearer ${token}`);
  return (request) => timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected);
}

/** Equal lengths for any token, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
