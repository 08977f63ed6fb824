import { join } from "node:path";
import { z } from "zod";
import { STATE_FORMAT } from "../state-format.ts";
import { Refused } from "./refused.ts";

export const MANIFEST = "manifest.json";

/** The contents of a backup. `startedAt` is before the first copy, `finishedAt` after the last. */
const manifestSchema = z.object({
  /** The format of the state that was copied. */
  format: z.literal(STATE_FORMAT),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /**
   * Whether the service ran: then the files are of different moments, and unfinished work must not continue from them.
   */
  whileRunning: z.boolean(),
  /** The server of the state that was copied. */
  database: z.enum(["ours", "sqld"]).default("ours"),
  files: z.array(
    z.object({
      // A path in a backup must not lead out of the state directory.
      path: z.string().regex(/^(?:database\/bellhop\.db|objects\/[\w-]+\/[\w-]+\.sqlite)$/u),
      bytes: z.int(),
      sha256: z.string(),
    }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** A backup's name, by which backups are sorted: `2026-11-21T12-31-23-042Z`. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/u;

export function nameOfBackup(startedAt: Date): string {
  return startedAt.toISOString().replaceAll(/[:.]/gu, "-");
}

export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

export async function readManifest(backup: string): Promise<Manifest> {
  const file = Bun.file(join(backup, MANIFEST));
  if (!(await file.exists())) {
    throw new Refused(
      `${backup} is not a backup: it has no ${MANIFEST}. Name one directory, such as …/2026-11-21T03-00-00-000Z.`,
    );
  }
  const content: unknown = await file.json().catch(() => null);
  const parsed = manifestSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const earlier = z.object({ format: z.int().lt(STATE_FORMAT) }).safeParse(content);
  if (earlier.success) {
    throw new Refused(
      `${backup} was made by an earlier version, whose state this version cannot read. Restore it with the version that made it.`,
    );
  }
  throw new Refused(`${join(backup, MANIFEST)} cannot be read by this version. Use the version that wrote it.`);
}
