import type { DownloadSource } from "./download-source.ts";

/** Releases in an R2 bucket. */
export function r2Downloads(bucket: R2Bucket): DownloadSource {
  return {
    publishHint: "npm run publish:agent -- --to r2 <bucket>",
    sizeOf: async (key) => (await bucket.head(key))?.size ?? null,
    read: async (key, part) => {
      const object = await bucket.get(key, part === undefined ? {} : { range: part });
      return object?.body ?? null;
    },
  };
}
