import { z } from "zod";
import type { ActionParams } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { CappedStream } from "../shared/capped-stream.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { streamsOutput } from "../shared/streams-output.ts";
import type { KubernetesJob } from "./job.ts";
import { called, checkLabel, pathOf, type Subject, subject } from "./names.ts";
import { eachChunk, notKubernetes } from "./read-answer.ts";

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

const container = z.object({ name: z.string() });
const podSchema = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).nullish() }),
  spec: z.object({
    containers: z.array(container),
    initContainers: z.array(container).nullish(),
    ephemeralContainers: z.array(container).nullish(),
  }),
});

/** A container's log, its beginning and its end if it is long: `{stdout, body, statusCode, truncated?}`. */
export async function getLogs(job: KubernetesJob, params: ActionParams<"kubernetes.getLogs">): Promise<JsonObject> {
  const { client, signal, secrets } = job;
  const pod = subject("Pod", params.namespace ?? job.namespace, params.pod);
  if (params.container !== undefined) checkLabel("container", params.container);
  const chosen = params.container ?? (await onlyContainer(job, pod));
  const { tailLines, sinceSeconds, previous } = params;
  const about = `Container ${chosen} of ${called(pod)}`;
  const response = await client.open({
    method: "GET",
    path: `${pathOf(pod)}/log`,
    query: {
      container: chosen,
      ...(tailLines === undefined ? {} : { tailLines: String(tailLines) }),
      ...(sinceSeconds === undefined ? {} : { sinceSeconds: String(sinceSeconds) }),
      ...(previous === true ? { previous: "true" } : {}),
    },
    about,
    mayHave: null,
  });
  const log = new CappedStream(secrets);
  const output = (): JsonObject => {
    const { stderr, ...read } = streamsOutput({ stdout: log, stderr: new CappedStream() }, null);
    void stderr;
    return {
      ...read,
      statusCode: response.status,
      body: { pod: pod.name, namespace: pod.namespace, container: chosen },
    };
  };
  try {
    await eachChunk(response, { where: client.where, signal, mayHave: null }, (chunk) => log.push(chunk));
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    if (error.code === "job_ended") throw jobEnded(`The log of ${about} was being read.`, output());
    throw new ExecutorFailure(error.code, error.message, output(), { cause: error });
  }
  return output();
}

/** The container whose log is meant when none is named: the only one, or the one that the pod names for kubectl, too. */
async function onlyContainer({ client }: KubernetesJob, pod: Subject): Promise<string> {
  const { value } = await client.json({ method: "GET", path: pathOf(pod), about: called(pod), mayHave: null });
  const result = podSchema.safeParse(value);
  if (!result.success) throw notKubernetes(client.where, "what it gives for a Pod is none");
  const { metadata, spec } = result.data;
  const names = (list: { name: string }[] | null | undefined): string[] => (list ?? []).map(({ name }) => name);
  const all = [...names(spec.containers), ...names(spec.initContainers), ...names(spec.ephemeralContainers)];
  const preferred = metadata.annotations?.[DEFAULT_CONTAINER];
  if (preferred !== undefined && all.includes(preferred)) return preferred;
  const [only, another] = spec.containers;
  if (only !== undefined && another === undefined) return only.name;
  const message = `${called(pod)} has several containers: ${all.join(", ")}. Name one in the action's container.`;
  throw new ExecutorFailure("container_required", message);
}
