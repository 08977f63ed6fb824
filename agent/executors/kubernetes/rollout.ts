import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { pause } from "../shared/pause.ts";
import { quoted } from "../shared/quoted.ts";
import { type Deployment, readDeployment, rolloutSummary, wantedReplicas } from "./deployment.ts";
import type { KubernetesJob } from "./job.ts";
import type { Subject } from "./names.ts";

const POLL_EVERY_MS = 1_000;
/** A restarting control plane does not answer for a while. The rollout continues meanwhile. */
const OUTAGE_MAX_MS = 60_000;
const PASSING = new Set(["unreachable", "connection_lost", "no_answer", "http_status", "rate_limited"]);

export interface RolloutWait {
  /** What was done, as a sentence. It stays true when the wait fails. */
  done: string;
  /** The status code of the change. */
  statusCode: number;
  /** The action's own output. Every output adds the Deployment's state. */
  body: JsonObject;
}

/**
 * Waits until a Deployment is rolled out, by the conditions of `kubectl rollout status`, and returns its state. Throws
 * `rollout_failed` when the cluster has given up, `job_ended`, or the errors of reading it; each message says what was
 * done before.
 */
export async function waitForRollout(job: KubernetesJob, subject: Subject, wait: RolloutWait): Promise<JsonObject> {
  const { done, statusCode, body } = wait;
  let last: Deployment | null = null;
  let note = "its state was not read yet";
  let answeredAt = performance.now();
  let refused = false;
  const output = (rolledOut: boolean): JsonObject => ({
    statusCode,
    body: { ...body, ...(last === null ? {} : rolloutSummary(subject, last)), rolledOut },
  });
  const ended = (): ExecutorFailure =>
    jobEnded(`${done} The action stopped waiting, and the rollout continues: ${note}.`, output(false));
  for (;;) {
    try {
      if (refused) await job.loginAgain();
      last = await readDeployment(job, subject);
      answeredAt = performance.now();
      refused = false;
    } catch (error) {
      if (!(error instanceof ExecutorFailure)) throw error;
      if (job.signal.aborted) throw ended();
      // A token may have expired meanwhile, and reading the login again may give a valid one.
      if (error.code === "authentication_failed" && !refused) {
        refused = true;
        continue;
      }
      if (!PASSING.has(error.code) || performance.now() - answeredAt > OUTAGE_MAX_MS) {
        const message = `${done} But it is not known whether the rollout is complete: ${error.message}`;
        throw new ExecutorFailure(error.code, message, output(false), { cause: error });
      }
    }
    if (last !== null) {
      const { state, ready } = progressOf(last, job.secrets);
      note = ready;
      if (state === "done") return output(true);
      if (state === "failed") {
        const message = `${done} But the rollout failed: it exceeded its progress deadline (progressDeadlineSeconds) with ${note}. Check its pods, and roll back if necessary.`;
        throw new ExecutorFailure("rollout_failed", message, output(false));
      }
    }
    await pause(POLL_EVERY_MS, job.signal, ended);
  }
}

/** kubectl's `DeploymentStatusViewer`; in addition, surplus replicas must be gone after scaling down. */
function progressOf(
  deployment: Deployment,
  secrets: readonly string[],
): { state: "done" | "going" | "failed"; ready: string } {
  const { metadata, status = {} } = deployment;
  const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0, conditions = [] } = status;
  if (observedGeneration < (metadata.generation ?? 0)) {
    return { state: "going", ready: "the cluster has not processed the change" };
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
