import type { AgentView } from "../../schema/contract/management.ts";
import type { AgentRow } from "../store/agents.ts";
import { keyFingerprint } from "./key-fingerprint.ts";

type Keyed = Pick<AgentRow, "publicKey" | "fingerprintVerification">;

/** Who compared an agent's present key last. Empty when a person compared none, or another key. */
export function fingerprintVerified({
  publicKey,
  fingerprintVerification,
}: Keyed): Pick<AgentView, "fingerprintVerified"> {
  if (publicKey === null || fingerprintVerification === null) return {};
  const { fingerprint, by, at } = fingerprintVerification;
  if (fingerprint !== keyFingerprint(publicKey)) return {};
  return { fingerprintVerified: { by, at: new Date(at).toISOString() } };
}
