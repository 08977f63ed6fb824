import { EXPORTED_KINDS } from "./retention.ts";
import type { ExportedKind } from "./retention.ts";

/** Keys of exported records (docs/retention.md#export-before-deletion): of an object with records, and of its entry. */
export interface RecordKeys {
  readonly object: string;
  readonly entry: string;
}

/** `from` is the time of the earliest record, as ISO. */
export function recordKeys(kind: ExportedKind, from: string, firstId: string): RecordKeys {
  const name = `${kind}/${from.slice(0, 10).replaceAll("-", "/")}/${firstId}`;
  return { object: `${name}.ndjson`, entry: `manifest/${name}.json` };
}

const NAME = String.raw`(?:${EXPORTED_KINDS.join("|")})/\d{4}/\d\d/\d\d/[\w-]{1,80}`;
const KEY = new RegExp(String.raw`^(?:${NAME}\.ndjson|manifest/${NAME}\.json)$`, "u");

/** Whether it is such a key. As a path it then stays below its directory. */
export function isRecordKey(text: string): boolean {
  return KEY.test(text);
}

/** The header with the SHA-256 of a record's bytes, in hexadecimal, for the process that writes to the directory. */
export const RECORD_SHA256_HEADER = "X-Content-Sha256";
