import type { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import type { ServiceReader } from "../../schema/settings/service.ts";
import type { Bucket } from "../store/s3.ts";

/** Where records go before their deletion. With wrong settings nothing is exported, and nothing of them is deleted. */
export type ExportSettings =
  | { readonly ok: true; readonly bucket: Bucket }
  | { readonly ok: false; readonly problems: readonly string[] };

const NAMES = [
  "RETENTION_EXPORT_URL",
  "RETENTION_EXPORT_REGION",
  "RETENTION_EXPORT_ACCESS_KEY_ID",
  "RETENTION_EXPORT_SECRET_ACCESS_KEY",
] as const satisfies (keyof typeof SERVICE_SETTINGS)[];

/** Null without any of the settings. */
export function exportSettings({ read, need, text }: ServiceReader, problems: string[]): ExportSettings | null {
  if (NAMES.every((name) => text(name) === null)) return null;
  const before = problems.length;
  const url = need("RETENTION_EXPORT_URL");
  const region = read("RETENTION_EXPORT_REGION");
  const accessKeyId = need("RETENTION_EXPORT_ACCESS_KEY_ID");
  const secretAccessKey = need("RETENTION_EXPORT_SECRET_ACCESS_KEY");
  const own = problems.slice(before);
  if (own.length > 0 || url === null || accessKeyId === null || secretAccessKey === null) {
    return { ok: false, problems: own };
  }
  return { ok: true, bucket: { url, region, accessKeyId, secretAccessKey } };
}
