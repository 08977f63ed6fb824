import { RETENTION_EXPORT_REQUEST_MAX_MS } from "../../schema/limits.ts";
import { sha256 } from "./sigv4.ts";

/** Where records go before their deletion: `s3.ts`, `export-directory.ts`. Its texts are for people, and have no secret. */
export interface RecordStorage {
  /** Sends an object, which takes the place of one that has its key. */
  send(object: StoredObject & { readonly sha256: string }, now: number, signal: AbortSignal): Promise<Response>;
  /** What is wrong when it does not answer. */
  readonly unreachable: string;
  /** Why it refused an object. `text` is the beginning of its answer. */
  refusal(status: number, text: string): string;
}

export interface StoredObject {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The storage did not take an object. The message is for people, and has no secret. */
export class StorageFailure extends Error {}

const ANSWER_READ_BYTES = 4_096;

/** Stores an object. Returns the SHA-256 of its bytes in hexadecimal. */
export async function putObject(
  storage: RecordStorage,
  object: StoredObject,
  now: number,
  limitMs = RETENTION_EXPORT_REQUEST_MAX_MS,
): Promise<string> {
  const bodySha256 = await sha256(object.bytes);
  let response: Response;
  try {
    response = await storage.send({ ...object, sha256: bodySha256 }, now, AbortSignal.timeout(limitMs));
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    throw new StorageFailure(late ? "The storage did not answer in time." : storage.unreachable, { cause: error });
  }
  const text = await beginningOf(response);
  if (!response.ok) throw new StorageFailure(storage.refusal(response.status, text));
  return bodySha256;
}

async function beginningOf(response: Response): Promise<string> {
  let text = "";
  try {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > ANSWER_READ_BYTES) break;
    }
  } catch {
    // The status decides.
  }
  return text;
}
