import { RETENTION_EXPORT_REQUEST_MAX_MS } from "../../schema/limits.ts";
import { sha256, signedHeaders } from "./sigv4.ts";
import type { SigningKey } from "./sigv4.ts";

/** A bucket of S3-compatible storage, with the path below which objects go. */
export interface Bucket extends SigningKey {
  /** `https://host/bucket` or `https://host/bucket/prefix`. */
  readonly url: string;
}

/** The storage did not take an object. The message is for people, and has no secret. */
export class StorageFailure extends Error {}

const ANSWER_READ_BYTES = 4_096;

/** Stores an object, in place of one that has its key. Returns the SHA-256 of its bytes in hexadecimal. */
export async function putObject(
  bucket: Bucket,
  object: { key: string; contentType: string; bytes: Uint8Array },
  now: number,
  limitMs = RETENTION_EXPORT_REQUEST_MAX_MS,
): Promise<string> {
  const { key, contentType, bytes } = object;
  const url = new URL(`${bucket.url}/${key}`);
  const bodySha256 = await sha256(bytes);
  const headers = await signedHeaders(
    { method: "PUT", url, headers: { "Content-Type": contentType }, bodySha256 },
    bucket,
    now,
  );
  const signal = AbortSignal.timeout(limitMs);
  let response: Response;
  try {
    response = await fetch(url, { method: "PUT", headers, body: bytes, redirect: "manual", signal });
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    throw new StorageFailure(
      late ? "The storage did not answer in time." : "The connection to the storage could not be made, or broke off.",
      { cause: error },
    );
  }
  const said = await codeOf(response);
  if (!response.ok) throw new StorageFailure(`The storage refused an object: ${response.status}${said}.`);
  return bodySha256;
}

/** The code in an error's XML, such as AccessDenied, after a space; the rest may hold anything. */
async function codeOf(response: Response): Promise<string> {
  try {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > ANSWER_READ_BYTES) break;
    }
    const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/u.exec(text)?.[1];
    return code === undefined ? "" : ` ${code}`;
  } catch {
    return "";
  }
}
