import { z } from "zod";
import { type JsonObject, jsonObjectSchema } from "../../../schema/contract/json.ts";
import type { HttpResponse } from "../http/exchange.ts";
import { errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";

/** One Deployment has at most 1.5 MiB (etcd's limit for a request); lists are read in pages of a few. */
const JSON_MAX_BYTES = 32 * 1_048_576;
/** A connection that went half open between two parts of an answer must not hold the job until its end. */
const SILENCE_MAX_MS = 60_000;

const statusSchema = z.object({
  kind: z.literal("Status"),
  message: z.string().default(""),
  reason: z.string().default(""),
});

export interface ApiStatus {
  code: number;
  /** The API's own sentence, which names verb, resource and object; empty when what answered is no Kubernetes API. */
  message: string;
  reason: string;
}

export interface Reading {
  where: string;
  signal: AbortSignal;
  mayHave: string | null;
}

/** A whole answer as a JSON object. Throws `invalid_response`, `connection_lost` or `job_ended`. */
export async function readJson(response: HttpResponse, reading: Reading): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  await eachChunk(response, reading, (chunk) => {
    size += chunk.length;
    if (size > JSON_MAX_BYTES) throw notKubernetes(reading.where, `its answer is longer than ${JSON_MAX_BYTES} bytes`);
    chunks.push(chunk);
  });
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw notKubernetes(reading.where, "its answer is not JSON");
  }
  const result = jsonObjectSchema.safeParse(value);
  if (!result.success) throw notKubernetes(reading.where, "its answer is not a JSON object");
  return result.data;
}

/** Gives every part of a body to `take`; always ends the exchange. Throws `connection_lost` or `job_ended`. */
export async function eachChunk(
  response: HttpResponse,
  { where, signal, mayHave }: Reading,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const done = mayHave === null ? "" : ` ${mayHave}`;
  const onSilence = (): void => {
    response.stream.destroy(new Error(`nothing came for ${SILENCE_MAX_MS / 1_000} s`));
  };
  let timer = setTimeout(onSilence, SILENCE_MAX_MS);
  try {
    for await (const chunk of response.stream) {
      clearTimeout(timer);
      timer = setTimeout(onSilence, SILENCE_MAX_MS);
      take(chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk)));
    }
  } catch (error) {
    if (error instanceof ExecutorFailure) throw error;
    if (signal.aborted) throw jobEnded(`The answer of ${where} had begun to arrive.${done}`);
    const message = `The answer of the API at ${where} broke off: ${errorMessage(error)}.${done}`;
    throw new ExecutorFailure("connection_lost", message, null, { cause: error });
  } finally {
    clearTimeout(timer);
    response.discard();
  }
}

/** What the API says about a request that it refused. */
export async function readStatus(response: HttpResponse): Promise<ApiStatus> {
  const { bytes } = await response.read();
  let value: unknown = null;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    // A proxy's page, or a plain "404 page not found".
  }
  const result = statusSchema.safeParse(value);
  const { message, reason } = result.success ? result.data : { message: "", reason: "" };
  return { code: response.status, message, reason };
}

export function notKubernetes(where: string, why: string): ExecutorFailure {
  const message = `What answers at ${where} is not the API of a Kubernetes cluster: ${why}. Check the server in the kubeconfig, and proxies in between.`;
  return new ExecutorFailure("invalid_response", message);
}
