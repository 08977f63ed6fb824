import { RECORD_SHA256_HEADER } from "../../schema/contract/record-keys.ts";
import type { RecordStorage } from "./record-storage.ts";

/** A directory of the machine. The Worker has no access to files: another process writes them, and gives the reasons. */
export function directoryStorage(writer: Pick<Fetcher, "fetch">): RecordStorage {
  return {
    send: ({ key, bytes, sha256 }, _now, signal) =>
      writer.fetch(`http://exports/${key}`, {
        method: "PUT",
        headers: { [RECORD_SHA256_HEADER]: sha256 },
        body: bytes,
        redirect: "manual",
        signal,
      }),
    unreachable:
      "The process that writes to the export directory cannot be reached. Start it: systemctl start bellhop-exports.",
    refusal: (status, text) => text || `The process that writes to the export directory answered ${status}.`,
  };
}
