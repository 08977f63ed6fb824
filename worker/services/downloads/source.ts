import type { Env } from "../../env.ts";
import { diskDownloads } from "../../store/disk-downloads.ts";
import type { DownloadSource } from "../../store/download-source.ts";
import { r2Downloads } from "../../store/r2-downloads.ts";
import { ProblemError } from "../problem.ts";

/** The store of this deployment's releases: R2, or a directory of this machine. 404 when it has neither. */
export function downloadSource(env: Pick<Env, "DOWNLOADS" | "DOWNLOADS_DISK">): DownloadSource {
  if (env.DOWNLOADS !== undefined) return answering(r2Downloads(env.DOWNLOADS));
  if (env.DOWNLOADS_DISK !== undefined) return answering(diskDownloads(env.DOWNLOADS_DISK));
  throw new ProblemError(
    "not_found",
    "This deployment serves no downloads: bind an R2 bucket as DOWNLOADS, or workerd's disk service as DOWNLOADS_DISK.",
  );
}

/** A store that cannot be reached is 503, not an internal error. */
function answering(source: DownloadSource): DownloadSource {
  return {
    publishHint: source.publishHint,
    sizeOf: (key) => reach(() => source.sizeOf(key)),
    read: (key, part) => reach(() => source.read(key, part)),
  };
}

async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new ProblemError("unavailable", "The downloads cannot be reached. Try again in a moment.", {
      headers: { "Retry-After": "5" },
      cause: error,
    });
  }
}
