import type { Job } from "../../schema/contract/agent.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { placeIn, targetListOf } from "../../schema/contract/target-list.ts";
import type { Place } from "../../schema/contract/target-list.ts";
import { quoted } from "../vault/target-text.ts";
import type { Release } from "../vault/releases.ts";

/**
 * Where a job goes on a connection with several hosts; null on a connection to one. The list is the one that was sealed
 * with the credential, so a service cannot send the secrets elsewhere. A job without a credential has no secrets, and its
 * connection's own list counts.
 */
export function placeOfJob(
  { connection, target }: Pick<Job, "target"> & { connection: NonNullable<Job["connection"]> },
  credential: Release,
): { ok: true; place: Place | null } | { ok: false; error: Failure } {
  const list = credential.state === "released" ? credential.targets : targetListOf(connection.config);
  if (list === null && target === undefined) return { ok: true, place: null };
  if (list === null) {
    const message = `The job names the target ${quoted(target ?? "")}, but the connection ${connection.id} leads to one host. Publish the workflow again without a target.`;
    return { ok: false, error: { code: "target_not_allowed", message } };
  }
  if (target === undefined) {
    const message = `The connection ${connection.id} leads to several hosts, and the job names none. Set the target of the workflow's step, and publish it again.`;
    return { ok: false, error: { code: "target_missing", message } };
  }
  const place = placeIn(list, target);
  if (place !== null) return { ok: true, place };
  const message =
    `The target ${quoted(target)} is not among the hosts of the connection ${connection.id}` +
    `${credential.state === "released" ? " that were sealed with its credential" : ""}, so the job was not run. If it is right, add it to targets and deliver the credential again.`;
  return { ok: false, error: { code: "target_not_allowed", message } };
}
