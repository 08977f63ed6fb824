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
  /** What was done, as a sentence: it stays done, whatever becomes of the waiting. */
  done: string;
  /** Of the change. */
  statusCode: number;
  /** What the action itself says of it; the state is joined to it in every output. */
  body: JsonObject;
}

type Progress = { state: "done" } | { state: "going"; note: string } | { state: "failed"; note: string };

/**
 * Waits until a Deployment is rolled out, by the conditions of `kubectl rollout status`, and gives its state. Throws
 * `rollout_failed` when the cluster gave it up, `job_ended`, or what reading it throws; each says what was done before.
 */
export async function waitForRollout(
  { client, signal, secrets }: KubernetesJob,
  subject: Subject,
  wait: RolloutWait,
): Promise<JsonObject> {
  let last: Deployment | null = null;
  let note = "it was not looked at yet";
  let answeredAt = performance.now();
  let refused = false;
  for (;;) {
    try {
      if (refused) await client.loginAgain();
      last = await readDeployment(client, subject);
      answeredAt = performance.now();
      refused = false;
      const progress = progressOf(last, secrets);
      if (progress.state === "done") return stateOf(subject, last, wait, true);
      note = progress.note;
      if (progress.state === "failed") {
        const message = `${wait.done} But the rollout failed: ${note}. Look at its pods, and roll back if need be.`;
        throw new ExecutorFailure("rollout_failed", message, stateOf(subject, last, wait));
      }
    } catch (error) {
      if (!(error instanceof ExecutorFailure) || error.code === "rollout_failed") throw error;
      if (signal.aborted) throw ended(subject, last, note, wait);
      // A token may have ended meanwhile: one that is read anew may be good.
      if (error.code === "authentication_failed" && !refused) {
        refused = true;
        continue;
      }
      if (!PASSING.has(error.code) || performance.now() - answeredAt > OUTAGE_MAX_MS) {
        const message = `${wait.done} But whether it was rolled out is not known: ${error.message}`;
        throw new ExecutorFailure(error.code, message, stateOf(subject, last, wait), { cause: error });
      }
    }
    await pause(POLL_EVERY_MS, signal, () => ended(subject, last, note, wait));
  }
}

function ended(subject: Subject, last: Deployment | null, note: string, wait: RolloutWait): ExecutorFailure {
  const message = `${wait.done} Only the waiting was ended, and the rollout goes on: ${note}.`;
  return jobEnded(message, stateOf(subject, last, wait));
}

function stateOf(
  subject: Subject,
  last: Deployment | null,
  { statusCode, body }: RolloutWait,
  rolledOut = false,
): JsonObject {
  return { statusCode, body: { ...body, ...(last === null ? {} : rolloutSummary(subject, last)), rolledOut } };
}

/** kubectl's `DeploymentStatusViewer`; beyond it, surplus replicas after scaling down must be gone, too. */
function progressOf(deployment: Deployment, secrets: readonly string[]): Progress {
  const { metadata, status = {} } = deployment;
  const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0, conditions = [] } = status;
  const going = (note: string): Progress => ({ state: "going", note });
  if (observedGeneration < (metadata.generation ?? 0)) return going("the cluster has not taken up the change");
  const progressing = conditions.find(({ type }) => type === "Progressing");
  const quota = conditions.find(({ type, status: held }) => type === "ReplicaFailure" && held === "True");
  const why = quota === undefined ? "" : ` (${quoted(quota.message ?? quota.reason ?? "", secrets)})`;
  const wanted = wantedReplicas(deployment);
  const ready = `${updatedReplicas} of ${wanted} replicas updated, ${availableReplicas} available${why}`;
  if (progressing?.reason === "ProgressDeadlineExceeded") {
    return { state: "failed", note: `it exceeded its progress deadline (progressDeadlineSeconds) with ${ready}` };
  }
  if (updatedReplicas < wanted) return going(ready);
  if (replicas > updatedReplicas) return going(`${replicas - updatedReplicas} old replicas still to end`);
  if (replicas > wanted) return going(`${replicas - wanted} replicas too many still to end`);
  if (availableReplicas < updatedReplicas) return going(ready);
  return { state: "done" };
}
