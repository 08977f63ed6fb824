import { existsSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../atomic-file.ts";
import { decodeLines } from "../journal/lines.ts";
import { JournalState, recordSchema } from "../journal/state.ts";
import { describeError } from "../log.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

const MB = 1_000_000;
const FREE_WARN_BYTES = 500 * MB;
const FREE_FAIL_BYTES = 50 * MB;
const journal = checksNamed("journal");
const disk = checksNamed("disk");

/** The results that the journal still has to send, read without taking the journal over, and the free disk space. */
export async function checkJournal(path: string, { isRunning }: { isRunning: boolean }): Promise<Check[]> {
  return [readJournal(path, isRunning), await checkDisk(dirname(path))];
}

function readJournal(path: string, isRunning: boolean): Check {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT"))
      return journal.ok(`${path} is not there yet: the agent makes it when it first starts`);
    return journal.fail(`${path} cannot be read (${describeError(error)})`, "give the agent's user the file (chown)");
  }
  const read = decodeLines(bytes);
  const state = new JournalState();
  for (const { json, place } of read.lines) {
    const record = recordSchema.safeParse(JSON.parse(json));
    if (record.success) state.apply(record.data, place);
  }
  const held = [...state.held];
  const owed = held.filter(({ finished }) => finished !== null).length;
  const running = held.length - owed;
  if (read.damaged && !isRunning) {
    return journal.warn(
      `${path} is damaged`,
      "start the agent: it keeps a copy of the file, and jobs that cannot be read from it count as lost",
    );
  }
  const waiting =
    owed === 0
      ? "nothing waits to be reported"
      : `${owed} ${owed === 1 ? "result waits" : "results wait"} to be reported`;
  const begun =
    running === 0 ? "" : isRunning ? `, ${running} running` : `, ${running} begun by an agent that has ended`;
  if (running > 0 && !isRunning) {
    const them = running === 1 ? "this job" : "these jobs";
    return journal.warn(
      `${path} is readable: ${waiting}${begun}`,
      `start the agent: it reports ${them} as interrupted, and does not run ${running === 1 ? "it" : "them"} again`,
    );
  }
  return journal.ok(`${path} is readable: ${waiting}${begun}`);
}

async function checkDisk(directory: string): Promise<Check> {
  let place = directory;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    const { bavail, bsize, blocks } = await statfs(place);
    if (blocks === 0) return disk.skip(`the free space is not known: the file system of ${place} reports no size`);
    const free = bavail * bsize;
    const found = `${Math.floor(free / MB).toLocaleString("en-US")} MB free at ${place}`;
    const advice = "free some space: on a full disk no new job begins, and results wait";
    if (free < FREE_FAIL_BYTES) return disk.fail(found, advice);
    if (free < FREE_WARN_BYTES) return disk.warn(found, advice);
    return disk.ok(found);
  } catch (error) {
    return disk.skip(`the free space is not known (${describeError(error)})`);
  }
}
