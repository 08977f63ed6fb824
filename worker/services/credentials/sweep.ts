import { expireSealed } from "../../store/credential-ends.ts";
import type { Deps } from "../deps.ts";
import { orderForgottenSyncs } from "./order-syncs.ts";

const FORGOTTEN_AFTER_MS = 60_000;
const FAILED_AGAIN_AFTER_MS = 10 * 60_000;
const MAX_AT_ONCE = 200;

/** Deletes ciphertext that no agent fetched within 24 hours (docs/design/credentials.md#delivery-states). */
export async function expireCredentials(deps: Deps, now: number): Promise<void> {
  await expireSealed(deps.db, now);
}

/** Orders jobs again for credentials that a crash left without one, or whose job failed temporarily. */
export async function orderForgottenCredentials(deps: Deps, now: number): Promise<void> {
  await orderForgottenSyncs(deps, {
    before: now - FORGOTTEN_AFTER_MS,
    failedBefore: now - FAILED_AGAIN_AFTER_MS,
    limit: MAX_AT_ONCE,
  });
}
