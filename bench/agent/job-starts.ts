import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { JOB_SOCKET_DIRECTORY } from "../../agent/system-service/linux/unit-file.ts";
import { ServiceMachine } from "../../tests/support/service-machine.ts";
import { systemdMissing } from "../../tests/support/systemd/index.ts";
import { compile } from "./compile.ts";

/**
 * The time from the call that starts a job's program to the program's first byte of output: as the agent's own account,
 * and through the sockets of `bellhop-job@.socket`, alternating. The agent's side is its code in an executable of the
 * bench. The job's process is the agent's executable in the unit that `service install` writes, under a real systemd.
 */
export interface JobStarts {
  /** Why the measurement was skipped; null if it was not. */
  skipped: string | null;
  /** With a pause before each start, in which the next job's process becomes ready. */
  paced: Compared | null;
  /** Without pauses: the next job's process is still starting. */
  backToBack: Compared | null;
}
interface Compared {
  own: Figures;
  unit: Figures;
  /** Ratio of the medians. */
  ratio: number;
}
interface Figures {
  p50Ms: number;
  worstMs: number;
}

const PROGRAM = "/usr/local/bin/start-jobs";
const ACCOUNT = "bellhop-agent";
const STATE_DIRECTORY = "/var/lib/bellhop-agent";

const timesSchema = z.object({ own: z.array(z.number()).min(1), unit: z.array(z.number()).min(1) });
const measuredSchema = z.object({ paced: timesSchema, backToBack: timesSchema });

export async function benchJobStarts(directory: string): Promise<JobStarts> {
  if (systemdMissing !== null) return { skipped: systemdMissing, paced: null, backToBack: null };
  const program = await compile(
    fileURLToPath(new URL("./start-jobs.ts", import.meta.url)),
    join(directory, "start-jobs"),
  );
  const machine = await ServiceMachine.start();
  try {
    const installed = await machine.install();
    if (installed.exitCode !== 0) throw new Error(`the agent was not installed: ${installed.stderr}`);
    // The agent would poll in the meantime; its sockets stay.
    await machine.systemd.systemctl("stop", "bellhop-agent");
    await copyFile(program, machine.systemd.path(PROGRAM));
    const as = ["setpriv", `--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, "--clear-groups", "--no-new-privs", "--"];
    const { stdout, stderr, exitCode } = await machine.systemd.run([
      ...as,
      PROGRAM,
      JOB_SOCKET_DIRECTORY,
      STATE_DIRECTORY,
    ]);
    if (exitCode !== 0) throw new Error(`jobs could not be started: ${stderr}`);
    const { paced, backToBack } = measuredSchema.parse(JSON.parse(stdout));
    return { skipped: null, paced: compared(paced), backToBack: compared(backToBack) };
  } finally {
    await machine.stop();
  }
}

export function describeJobStarts({ skipped, paced, backToBack }: JobStarts): string {
  if (paced === null || backToBack === null) return `  a job's start was not measured: ${skipped}`;
  const line = (name: string, { own, unit, ratio }: Compared) =>
    `  a job's start, ${name.padEnd(17)} ${shown(own)} as the own account, ${shown(unit)} through the socket unit: ${ratio.toFixed(2)} of it`;
  return [line("with a pause", paced), line("one after another", backToBack)].join("\n");
}

function shown({ p50Ms, worstMs }: Figures): string {
  return `p50 ${p50Ms.toFixed(1)} ms (worst ${worstMs.toFixed(1)})`;
}

function compared(times: z.infer<typeof timesSchema>): Compared {
  const [own, unit] = [figuresOf(times.own), figuresOf(times.unit)];
  return { own, unit, ratio: unit.p50Ms / own.p50Ms };
}

function figuresOf(times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, worstMs: sorted.at(-1) ?? Number.NaN };
}
