import { z } from "zod";
import { openSigned, signValue } from "../signed-value.ts";

/** The time limit for a sign-in with the issuer. */
export const FLOW_MS = 10 * 60_000;
const LABEL = "oidc-flow";

const flowSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returnTo: z.string() });
const signedSchema = flowSchema.extend({ endsAt: z.number() });
/** A sign-in under way, kept in the browser's cookie. */
export type OidcFlow = z.infer<typeof flowSchema>;

export function signFlow(serverSecret: string, flow: OidcFlow, now: number): string {
  const value = { ...flow, endsAt: now + FLOW_MS };
  return signValue(serverSecret, LABEL, Buffer.from(JSON.stringify(value)).toString("base64url"));
}

/** Null for a cookie that this deployment did not sign, or that is too old. */
export function openFlow(serverSecret: string, cookie: string, now: number): OidcFlow | null {
  const value = openSigned(serverSecret, LABEL, cookie);
  if (value === null) return null;
  const { endsAt, ...flow } = signedSchema.parse(JSON.parse(Buffer.from(value, "base64url").toString()));
  return endsAt > now ? flow : null;
}
