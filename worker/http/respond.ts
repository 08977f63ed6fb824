import type { Context } from "hono";
import type { Page } from "../services/page.ts";
import type { AppEnv } from "./app-types.ts";

/** `{success: true, data}`, for every answer but lists and problems (docs/design/http-api.md#envelopes). */
export function answer(context: Context<AppEnv>, data: unknown): Response {
  return context.json({ success: true, data }, 200);
}

/** Like `answer`, with 201: a record was created. */
export function created(context: Context<AppEnv>, data: unknown): Response {
  return context.json({ success: true, data }, 201);
}

/** Like `answer`, with 202: the work continues after the answer. */
export function accepted(context: Context<AppEnv>, data: unknown): Response {
  return context.json({ success: true, data }, 202);
}

/** `{success: true, data: [...], nextCursor}`; `nextCursor` is null on the last page. */
export function answerPage(context: Context<AppEnv>, page: Page<unknown>): Response {
  return context.json({ success: true, data: page.items, nextCursor: page.nextCursor }, 200);
}
