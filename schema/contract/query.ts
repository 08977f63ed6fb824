import { z } from "zod";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "../limits.ts";

/** Query parameters that lists share. */
export const limit = z
  .preprocess(
    // Number() also accepts 1e2, 0x10 and blanks.
    (value) => (typeof value === "string" && /^\d{1,15}$/u.test(value) ? Number(value) : value),
    z.int().min(1).max(PAGE_SIZE_MAX),
  )
  .default(PAGE_SIZE_DEFAULT)
  .describe("The most entries on a page.");

/** An empty span is a mistake, and would give an empty list. */
export function isSpan({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean {
  return from === undefined || to === undefined || Date.parse(from) <= Date.parse(to);
}
export const NO_SPAN = { path: ["to"], error: "must not be before from" };
