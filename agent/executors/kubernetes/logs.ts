import { CoreV1Api } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { CappedStream } from "../shared/capped-stream.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { streamsOutput } from "../shared/streams-output.ts";
import type { KubernetesJob } from "./job.ts";
import { type Subject, subject } from "./names.ts";

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/** A container's log; a long one is cut to its beginning and end: `{stdout, body, statusCode, truncated?}`. */
export async function getLogs(job: KubernetesJob, params: ActionParams<"kubernetes.getLogs">): Promise<JsonObject> {
  const { pod: _pod, ...options } = params;
  const pod = subject("Pod", params.namespace ?? job.namespace, params.pod);
  const { name, namespace } = pod;
  const container = params.container ?? (await onlyContainer(job, pod));
  const query = { ...options, name, namespace, container };
  const log = new CappedStream(job.secrets);
  let begun = false;
  const take = (part: Uint8Array): void => {
    begun = true;
    log.push(part);
  };
  const output = (statusCode: number): JsonObject => {
    const { stderr: _stderr, ...read } = streamsOutput({ stdout: log, stderr: new CappedStream() }, null);
    return { ...read, statusCode, body: { pod: name, namespace, container } };
  };
  try {
    const call = { about: `Container ${container} of ${pod.called}`, mayHave: null, take };
    return output(
      await job.call(
        CoreV1Api,
        call,
        async (api) => (await api.readNamespacedPodLogWithHttpInfo(query)).httpStatusCode,
      ),
    );
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || !begun || error.code === "invalid_response") throw error;
    throw new ExecutorFailure(error.code, error.message, output(200), { cause: error });
  }
}

/** The container for an action that names none: the only one, or the pod's default for kubectl. */
async function onlyContainer(job: KubernetesJob, { name, namespace, called }: Subject): Promise<string> {
  const call = { about: called, mayHave: null, kind: "Pod", name };
  const { preferred, containers, all } = await job.call(CoreV1Api, call, async (api) => {
    const { metadata, spec } = await api.readNamespacedPod({ name, namespace });
    const named = (spec?.containers ?? []).map((each) => each.name);
    const others = [...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].map((each) => each.name);
    const preferred = metadata?.annotations?.[DEFAULT_CONTAINER];
    return { preferred, containers: named, all: [...named, ...others] };
  });
  if (preferred !== undefined && all.includes(preferred)) return preferred;
  const [only, another] = containers;
  if (only !== undefined && another === undefined) return only;
  const message = `${called} has several containers: ${all.join(", ")}. Name one in the action's container.`;
  throw new ExecutorFailure("container_required", message);
}
