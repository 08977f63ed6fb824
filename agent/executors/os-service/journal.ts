import { findProgram, runSystemd } from "./systemd.ts";

const LINES = 20;
const JOURNAL_TIMEOUT_MS = 3_000;
const JOURNAL_MAX_BYTES = 16 * 1_024;

/** The last lines of a unit in the journal; empty when there are none or this user may not read them. */
export async function journalOf(unit: string): Promise<string> {
  if (findProgram("journalctl") === null) return "";
  const read = (args: string[]) => runSystemd("journalctl", args, AbortSignal.timeout(JOURNAL_TIMEOUT_MS));
  // The last lines of a service that has ended may not be in the journal yet. Only root may wait for them.
  if (process.geteuid?.() === 0) await read(["--sync"]);
  const end = await read(["--quiet", "--no-pager", "--output=short-iso", `--lines=${LINES}`, `--unit=${unit}`]);
  return end.exitCode === 0 ? end.streams.stdout.read(JOURNAL_MAX_BYTES).text.trimEnd() : "";
}
