import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { pause } from "../shared/pause.ts";
import { quoted } from "../shared/quoted.ts";
import { type Deployment, readDeployment, rolloutSummary, wantedReplicas } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import type { Subject } from "./names.ts";

const POLL_EVERY_MS = 1_000;
/** A control plane that restarts answers nothing for a while; the rollout goes on meanwhile. */
const OUTAGE_MAX_MS = 60_000;
const PASSING = new Set(["unreachable", "connection_lost", "no_answer", "http_status", "rate_limited"]);

export interface RolloutWait {
  /** What was done, as a sentence: it stays done, also when the waiting fails. */
  done: string;
  /** Of the change. */
  statusCode: number;
  /** What the action itself says of it; the state is joined to it in every output. */
  body: JsonObject;
}

/**
 * Waits until a Deployment is rolled out, by the conditions of `kubectl rollout status`, and gives its state. Throws
 * `rollout_failed` when the cluster gave it up, `job_ended`, or what reading it throws; each says what was done before.
 */
export async function waitForRollout(job: KubernetesJob, subject: Subject, wait: RolloutWait): Promise<JsonObject> {
  const { done, statusCode, body } = wait;
  let last: Deployment | null = null;
  let note = "it was not looked at yet";
  let answeredAt = performance.now();
  let refused = false;
  const output = (rolledOut: boolean): JsonObject => ({
    statusCode,
    body: { ...body, ...(last === null ? {} : rolloutSummary(subject, last)), rolledOut },
  });
  const ended = (): ExecutorFailure =>
    jobEnded(`${done} Only the waiting was ended, and the rollout goes on: ${note}.`, output(false));
  for (;;) {
    try {
      if (refused) await job.loginAgain();
      last = await readDeployment(job, subject);
      answeredAt = performance.now();
      refused = false;
    } catch (error) {
      if (!(error instanceof ExecutorFailure)) throw error;
      if (job.signal.aborted) throw ended();
      // A token may have ended meanwhile: one that is read again may be good.
      if (error.code === "authentication_failed" && !refused) {
        refused = true;
        continue;
      }
      if (!PASSING.has(error.code) || performance.now() - answeredAt > OUTAGE_MAX_MS) {
        const message = `${done} But whether it was rolled out is not known: ${error.message}`;
        throw new ExecutorFailure(error.code, message, output(false), { cause: error });
      }
    }
    if (last !== null) {
      const { state, ready } = progressOf(last, job.secrets);
      note = ready;
      if (state === "done") return output(true);
      if (state === "failed") {
        const message = `${done} But the rollout failed: it exceeded its progress deadline (progressDeadlineSeconds) with ${note}. Look at its pods, and roll back if need be.`;
        throw new ExecutorFailure("rollout_failed", message, output(false));
      }
    }
    await pause(POLL_EVERY_MS, job.signal, ended);
  }
}

/** kubectl's `DeploymentStatusViewer`; beyond it, surplus replicas after scaling down must be gone, too. */
function progressOf(
  deployment: Deployment,
  secrets: readonly string[],
): { state: "done" | "going" | "failed"; ready: string } {
  const { metadata, status = {} } = deployment;
  const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0, conditions = [] } = status;
  if (observedGeneration < (metadata.generation ?? 0)) {
    return { state: "going", ready: "the cluster has not taken up the change" };
  }
  const quota = conditions.find(({ type, status: held }) => type === "ReplicaFailure" && held === "True");
  const why = quota === undefined ? "" : ` (${quoted(quota.message ?? quota.reason ?? "", secrets)})`;
  const wanted = wantedReplicas(deployment);
  const ready = `${updatedReplicas} of ${wanted} replicas updated, ${availableReplicas} available, ${replicas} in all${why}`;
  const late = conditions.some(({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded");
  if (late) return { state: "failed", ready };
  const complete = updatedReplicas >= wanted && replicas <= Math.min(updatedReplicas, wanted);
  return { state: complete && availableReplicas >= updatedReplicas ? "done" : "going", ready };
}
