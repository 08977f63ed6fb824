import { readFile } from "node:fs/promises";
import { MARK_VARIABLE } from "../agent/programs/marked-processes.ts";

/** One script's own lines in the journal of actual runs. Times are epoch milliseconds. */
export interface ScriptRun {
  /** The job of this run, from the agent's mark. */
  jobId: string;
  /** The event's key; for a schedule, its minute. */
  key: string;
  nodeId: string;
  /** The index in a forEach; empty outside. */
  iteration: string;
  /** Made and printed by this run of the script: the service's record of the output must name a real run. */
  token: string;
  beganAt: number;
  /** Null when the script was killed, or still runs. */
  endedAt: number | null;
}

export interface ScriptText {
  journal: string;
  nodeId: string;
  key: string;
  seconds: string;
  iteration: string;
  last: string;
}

/** Each line is one write to a file opened for appending, so that lines of concurrent scripts do not mix. */
export function script({ journal, nodeId, key, seconds, iteration, last }: ScriptText): string {
  const note = (what: string) =>
    `printf '%s\\t%s\\t%s\\t%s\\t%s\\t%s\\t%s\\n' ${what} ${nodeId} "$token" "$EPOCHREALTIME" "$iteration" "$key" "$job" >> '${journal}'`;
  return [
    `key="${key}"`,
    `iteration="${iteration}"`,
    'token="$$-$RANDOM$RANDOM$RANDOM"',
    // The agent's mark on the processes of a job: journal, job, attempt.
    `job="\${${MARK_VARIABLE}#*/}"`,
    'job="${job%/*}"',
    note("begin"),
    `sleep "${seconds}"`,
    note("end"),
    'echo "ran $token"',
    last,
  ].join("\n");
}

/** The token in a script's recorded output; null without one. */
export function tokenIn(stdout: string): string | null {
  return /^ran (\d+-\d+)$/mu.exec(stdout)?.[1] ?? null;
}

export async function readRuns(journal: string): Promise<ScriptRun[]> {
  return parseRuns(await readFile(journal, "utf8").catch(() => ""));
}

/** Throws for a line that no script of the load could write: then the journal itself proves nothing. */
export function parseRuns(text: string): ScriptRun[] {
  const runs = new Map<string, ScriptRun>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [what, nodeId, token, at, iteration, key, jobId] = line.split("\t");
    if (
      nodeId === undefined ||
      token === undefined ||
      at === undefined ||
      iteration === undefined ||
      key === undefined ||
      jobId === undefined
    ) {
      throw new Error(`the journal of scripts has a broken line: ${JSON.stringify(line)}`);
    }
    const atMs = Number(at.replace(",", ".")) * 1_000;
    const run = runs.get(`${key} ${nodeId} ${token}`);
    if (what === "begin" && run === undefined) {
      runs.set(`${key} ${nodeId} ${token}`, { jobId, key, nodeId, iteration, token, beganAt: atMs, endedAt: null });
    } else if (what === "end" && run !== undefined) run.endedAt = atMs;
    else
      throw new Error(`the journal of scripts has a line that neither begins nor ends a run: ${JSON.stringify(line)}`);
  }
  return [...runs.values()];
}
