import { takesCredential } from "../../../schema/contract/connection.ts";
import { targetFloor, targetMismatch } from "../../domain/credential/usable.ts";
import { findDelivered } from "../../store/delivered-credentials.ts";
import { targetDigest } from "../credentials/index.ts";
import type { Deps } from "../deps.ts";

/** The number of credentials that agents have and must not use, by reason. */
export interface UnusableCredentials {
  unbound: number;
  other_target: number;
}

/** Compares delivered credentials with their connections' targets, up to a bound. Too slow for every scrape. */
export async function countUnusable(deps: Deps): Promise<UnusableCredentials> {
  const { connections, credentials } = await findDelivered(deps.db);
  const wanted = new Map(
    connections
      .filter(({ type }) => takesCredential(type))
      .map((connection) => [connection.id, { connection, target: targetDigest(connection) }]),
  );
  const counts = { unbound: 0, other_target: 0 };
  for (const credential of credentials) {
    const known = wanted.get(credential.connectionId);
    if (known === undefined) continue;
    const { connection, target } = known;
    const held = credential.reported ?? { version: credential.version };
    const mismatch = targetMismatch(held, { target, floor: targetFloor(connection, credential) });
    if (mismatch !== null) counts[mismatch === "unbound" ? "unbound" : "other_target"] += 1;
  }
  return counts;
}
