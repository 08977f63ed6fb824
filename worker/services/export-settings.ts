import type { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import type { ServiceReader } from "../../schema/settings/service.ts";
import type { Env } from "../env.ts";
import { directoryStorage } from "../store/export-directory.ts";
import type { RecordStorage } from "../store/record-storage.ts";
import { bucketStorage } from "../store/s3.ts";

/** Where records go before their deletion. With wrong settings nothing is exported, and nothing of them is deleted. */
export type ExportSettings =
  | { readonly ok: true; readonly storage: RecordStorage }
  | { readonly ok: false; readonly problems: readonly string[] };

const BUCKET = [
  "RETENTION_EXPORT_URL",
  "RETENTION_EXPORT_REGION",
  "RETENTION_EXPORT_ACCESS_KEY_ID",
  "RETENTION_EXPORT_SECRET_ACCESS_KEY",
] as const satisfies (keyof typeof SERVICE_SETTINGS)[];

/** Null without any of the settings. */
export function exportSettings(
  reader: ServiceReader,
  problems: string[],
  writer: Env["EXPORT_DIRECTORY"],
): ExportSettings | null {
  const ofBucket = BUCKET.find((name) => reader.text(name) !== null);
  const hasDirectory = reader.text("RETENTION_EXPORT_DIRECTORY") !== null;
  if (ofBucket === undefined && !hasDirectory) return null;
  const before = problems.length;
  if (hasDirectory && ofBucket !== undefined) {
    problems.push(`RETENTION_EXPORT_DIRECTORY and ${ofBucket} are both set. Unset one of them`);
  }
  const storage = hasDirectory ? directory(reader, problems, writer) : bucket(reader);
  const own = problems.slice(before);
  return own.length > 0 || storage === null ? { ok: false, problems: own } : { ok: true, storage };
}

function directory({ read }: ServiceReader, problems: string[], writer: Env["EXPORT_DIRECTORY"]): RecordStorage | null {
  if (read("RETENTION_EXPORT_DIRECTORY") === null) return null;
  if (writer !== undefined) return directoryStorage(writer);
  problems.push("RETENTION_EXPORT_DIRECTORY is only for a service on one machine. Set RETENTION_EXPORT_URL instead");
  return null;
}

function bucket({ read, need }: ServiceReader): RecordStorage | null {
  const url = need("RETENTION_EXPORT_URL");
  const region = read("RETENTION_EXPORT_REGION");
  const accessKeyId = need("RETENTION_EXPORT_ACCESS_KEY_ID");
  const secretAccessKey = need("RETENTION_EXPORT_SECRET_ACCESS_KEY");
  if (url === null || accessKeyId === null || secretAccessKey === null) return null;
  return bucketStorage({ url, region, accessKeyId, secretAccessKey });
}
