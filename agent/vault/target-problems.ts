import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { cut, targetDifferences } from "./target-differences.ts";

const VALUE_MAX_CHARS = 200;
const TARGET_MAX_CHARS = 2_000;

/** `target_changed`, with every field that differs. They are fields of the configuration, which holds no secrets. */
export function targetChanged(connectionId: string, bound: CredentialTarget, wanted: CredentialTarget): Failure {
  return changed(
    connectionId,
    `The credential of connection ${connectionId} is bound to another target, so it was not used`,
    { bound, wanted },
    "If the change is wrong, set it back. If it is right, deliver the credential again, or run on the agent's machine:",
  );
}

/** `target_changed` for the same target, which this host now resolves differently. A delivery is refused then, too. */
export function placeChanged(connectionId: string, bound: readonly JsonObject[], resolved: JsonObject): Failure {
  return changed(
    connectionId,
    `The credential of connection ${connectionId} was not used: on this agent its target leads elsewhere than when it was bound`,
    { bound, wanted: [resolved] },
    "If the change on the agent's host is wrong, put back what was there. If it is right, run on the agent's machine:",
  );
}

function changed(
  connectionId: string,
  what: string,
  { bound, wanted }: { bound: readonly JsonObject[]; wanted: readonly JsonObject[] },
  advice: string,
): Failure {
  const differences = targetDifferences(bound, wanted, VALUE_MAX_CHARS);
  return {
    code: "target_changed",
    message: `${what}: ${differences.join("; ")}. ${advice} bellhop-agent credentials bind ${connectionId}`,
  };
}

/** `credential_unbound`, with the job's target and the command to bind it. Null: the job does not send its target. */
export function credentialUnbound(connectionId: string, wanted: CredentialTarget | null): Failure {
  const asked =
    wanted === null
      ? "Run the connection's test, so that this agent sees its target. Then"
      : `This job would use it for ${cut(canonicalTarget(wanted), TARGET_MAX_CHARS)}. If that is right,`;
  return {
    code: "credential_unbound",
    message:
      `The credential of connection ${connectionId} is bound to no target, so it was not used. ${asked} deliver it again, ` +
      `or run on the agent's machine: bellhop-agent credentials bind ${connectionId}`,
  };
}

/** `workflow_refused`: the credential is for certain workflows, and the job belongs to another one, or to none. */
export function workflowRefused(connectionId: string, workflowId: string | null): Failure {
  const job = workflowId === null ? "this job names none" : `${workflowId} is not among them`;
  return {
    code: "workflow_refused",
    message:
      `The credential of connection ${connectionId} is for certain workflows, and ${job}, so it was not used. If the workflow ` +
      "is to use it, add the workflow to usableBy of the connection, and deliver the credential again.",
  };
}
