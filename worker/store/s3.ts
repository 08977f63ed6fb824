import type { RecordStorage } from "./record-storage.ts";
import { signedHeaders } from "./sigv4.ts";
import type { SigningKey } from "./sigv4.ts";

/** A bucket of S3-compatible storage, with the path below which objects go. */
export interface Bucket extends SigningKey {
  /** `https://host/bucket` or `https://host/bucket/prefix`. */
  readonly url: string;
}

export function bucketStorage(bucket: Bucket): RecordStorage {
  return {
    async send({ key, contentType, bytes, sha256: bodySha256 }, now, signal) {
      const url = new URL(`${bucket.url}/${key}`);
      const headers = await signedHeaders(
        { method: "PUT", url, headers: { "Content-Type": contentType }, bodySha256 },
        bucket,
        now,
      );
      return fetch(url, { method: "PUT", headers, body: bytes, redirect: "manual", signal });
    },
    unreachable: "The connection to the storage could not be made, or broke off.",
    refusal(status, text) {
      // A code such as AccessDenied; the rest of the XML may hold anything.
      const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/u.exec(text)?.[1];
      return `The storage refused an object: ${status}${code === undefined ? "" : ` ${code}`}.`;
    },
  };
}
