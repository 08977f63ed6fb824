import { CoreV1Api } from "@kubernetes/client-node";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { CappedStream } from "../shared/capped-stream.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { streamsOutput } from "../shared/streams-output.ts";
import type { KubernetesJob } from "./job.ts";
import { checkLabel, type Subject, subject } from "./names.ts";
import { notKubernetes } from "./read-answer.ts";

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/** A container's log, its beginning and its end if it is long: `{stdout, body, statusCode, truncated?}`. */
export async function getLogs(job: KubernetesJob, params: ActionParams<"kubernetes.getLogs">): Promise<JsonObject> {
  const { client, secrets } = job;
  const pod = subject("Pod", params.namespace ?? job.namespace, params.pod);
  const { name, namespace } = pod;
  if (params.container !== undefined) checkLabel("container", params.container);
  const container = params.container ?? (await onlyContainer(job, pod));
  const { tailLines, sinceSeconds, previous } = params;
  const query = {
    name,
    namespace,
    container,
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(previous === true ? { previous } : {}),
  };
  const about = `Container ${container} of ${pod.called}`;
  const log = new CappedStream(secrets);
  const head: { statusCode: number | null } = { statusCode: null };
  const output = (): JsonObject => {
    const { stderr: _stderr, ...read } = streamsOutput({ stdout: log, stderr: new CappedStream() }, null);
    return { ...read, ...head, body: { pod: name, namespace, container } };
  };
  const take = (statusCode: number) => {
    head.statusCode = statusCode;
    return (chunk: Uint8Array): void => log.push(chunk);
  };
  try {
    await client.call(CoreV1Api, { about, mayHave: null, take }, (api) => api.readNamespacedPodLogWithHttpInfo(query));
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || head.statusCode === null) throw error;
    if (error.code === "job_ended") throw jobEnded(`The log of ${about} was being read.`, output());
    throw new ExecutorFailure(error.code, error.message, output(), { cause: error });
  }
  return output();
}

/** The container whose log is meant when none is named: the only one, or the one that the pod names for kubectl, too. */
async function onlyContainer({ client }: KubernetesJob, { name, namespace, called }: Subject): Promise<string> {
  const call = { about: called, mayHave: null };
  const { data } = await client.call(CoreV1Api, call, (api) => api.readNamespacedPodWithHttpInfo({ name, namespace }));
  const { metadata, spec } = data;
  if (!Array.isArray(spec?.containers)) throw notKubernetes(client.where, "what it gives for a Pod is none");
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const all = [...containers, ...(initContainers ?? []), ...(ephemeralContainers ?? [])].map((each) => each.name);
  const preferred = metadata?.annotations?.[DEFAULT_CONTAINER];
  if (preferred !== undefined && all.includes(preferred)) return preferred;
  const [only, another] = containers;
  if (only !== undefined && another === undefined) return only.name;
  const message = `${called} has several containers: ${all.join(", ")}. Name one in the action's container.`;
  throw new ExecutorFailure("container_required", message);
}
