import { readFile } from "node:fs/promises";
import { MARK_VARIABLE } from "../agent/programs/marked-processes.ts";

/** What one script said of itself in the journal of what truly ran. Times are epoch milliseconds. */
export interface ScriptRun {
  /** Which job it was run for, as the agent told it. */
  jobId: string;
  /** Of the event; for a schedule, its minute. */
  key: string;
  nodeId: string;
  /** Its index in a forEach; empty outside. */
  iteration: string;
  /** Made by this run of the script, and printed by it: the service's record of the output must name one that ran. */
  token: string;
  beganAt: number;
  /** Null when it was killed, or goes on. */
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

/** Each line is one write to a file that is opened for appending, so that the lines of many scripts do not mix. */
export function script({ journal, nodeId, key, seconds, iteration, last }: ScriptText): string {
  const note = (what: string) =>
    `printf '%s\\t%s\\t%s\\t%s\\t%s\\t%s\\t%s\\n' ${what} ${nodeId} "$token" "$EPOCHREALTIME" "$iteration" "$key" "$job" >> '${journal}'`;
  return [
    `key="${key}"`,
    `iteration="${iteration}"`,
    'token="$$-$RANDOM$RANDOM$RANDOM"',
    // How the agent marks the processes of a job: journal, job, attempt.
    `job="\${${MARK_VARIABLE}#*/}"`,
    'job="${job%/*}"',
    note("begin"),
    `sleep "${seconds}"`,
    note("end"),
    'echo "ran $token"',
    last,
  ].join("\n");
}

/** The token in a script's recorded output; null when it names none. */
export function tokenIn(stdout: string): string | null {
  return /^ran (\d+-\d+)$/mu.exec(stdout)?.[1] ?? null;
}

export async function readRuns(journal: string): Promise<ScriptRun[]> {
  return parseRuns(await readFile(journal, "utf8").catch(() => ""));
}

/** Throws for a line that no script of ours can have written: then the journal itself proves nothing. */
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
      throw new Error(`the journal of scripts holds a broken line: ${JSON.stringify(line)}`);
    }
    const atMs = Number(at.replace(",", ".")) * 1_000;
    const run = runs.get(`${key} ${nodeId} ${token}`);
    if (what === "begin" && run === undefined) {
      runs.set(`${key} ${nodeId} ${token}`, { jobId, key, nodeId, iteration, token, beganAt: atMs, endedAt: null });
    } else if (what === "end" && run !== undefined) run.endedAt = atMs;
    else throw new Error(`the journal of scripts holds a line that fits nothing: ${JSON.stringify(line)}`);
  }
  return [...runs.values()];
}
