import { z } from "zod";
import type { HttpResponse } from "../http/exchange.ts";
import { errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";

/** One Deployment has at most 1.5 MiB (etcd's limit for a request); lists are read in pages of a few. */
const JSON_MAX_BYTES = 32 * 1_048_576;
/** A Status is a few hundred bytes, and its code says most of it. */
const STATUS_MAX_BYTES = 65_536;
const STATUS_MAX_MS = 5_000;
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
  /** False when the rest of the answer did not come: then the code is all that is known. */
  complete: boolean;
}

export interface Reading {
  where: string;
  signal: AbortSignal;
  mayHave: string | null;
  /** How long the whole body may take; unlimited unless told. */
  limitMs?: number | undefined;
}

/**
 * A whole answer that is a JSON object. A null is left out: API servers of different versions write the one or the other, and the
 * library's models have none. Throws `invalid_response`, `connection_lost` or `job_ended`.
 */
export async function readJson(response: HttpResponse, reading: Reading): Promise<Buffer> {
  const { where, mayHave } = reading;
  const bytes = await wholeBody(response, reading, JSON_MAX_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"), (_name, inner: unknown) => inner ?? undefined);
  } catch {
    throw notKubernetes(where, "its answer is not JSON", mayHave);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return Buffer.from(JSON.stringify(value));
  throw notKubernetes(where, "its answer is not a JSON object", mayHave);
}

async function wholeBody(response: HttpResponse, reading: Reading, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  await eachChunk(response, reading, (chunk) => {
    size += chunk.length;
    if (size > maxBytes) {
      throw notKubernetes(reading.where, `its answer is longer than ${maxBytes} bytes`, reading.mayHave);
    }
    chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

/** Gives every part of a body to `take`; always ends the exchange. Throws `connection_lost` or `job_ended`. */
export async function eachChunk(
  response: HttpResponse,
  { where, signal, mayHave, limitMs }: Reading,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const done = mayHave === null ? "" : ` ${mayHave}`;
  const onSilence = (): void => {
    response.stream.destroy(new Error(`nothing came for ${SILENCE_MAX_MS / 1_000} s`));
  };
  const onLimit = (): void => {
    response.stream.destroy(new Error("its end did not come in time"));
  };
  let timer = setTimeout(onSilence, SILENCE_MAX_MS);
  const limit = limitMs === undefined ? undefined : setTimeout(onLimit, limitMs);
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
    clearTimeout(limit);
    response.discard();
  }
}

/** What the API says about a request that it refused; an answer that stalls or breaks off leaves the code alone. */
export async function readStatus(response: HttpResponse, reading: Reading): Promise<ApiStatus> {
  const limitMs = Math.min(STATUS_MAX_MS, reading.limitMs ?? STATUS_MAX_MS);
  let value: unknown = null;
  let complete = true;
  try {
    value = JSON.parse((await wholeBody(response, { ...reading, limitMs }, STATUS_MAX_BYTES)).toString("utf8"));
  } catch (error) {
    // Else a proxy's page, or a plain "404 page not found".
    if (error instanceof ExecutorFailure && error.code === "job_ended") throw error;
    if (error instanceof ExecutorFailure && error.code === "connection_lost") complete = false;
  }
  const result = statusSchema.safeParse(value);
  const { message, reason } = result.success ? result.data : { message: "", reason: "" };
  return { code: response.status, message, reason, complete };
}

/** `mayHave` as in a request: for an answer to what may have changed something. */
export function notKubernetes(
  where: string,
  why: string,
  mayHave: string | null = null,
  cause?: unknown,
): ExecutorFailure {
  const message = `What answers at ${where} is not the API of a Kubernetes cluster: ${why}. Check the server in the kubeconfig, and proxies in between.`;
  return new ExecutorFailure("invalid_response", mayHave === null ? message : `${message} ${mayHave}`, null, { cause });
}
