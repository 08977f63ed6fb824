import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killChildren } from "./child.ts";
import { databaseNamed } from "./database-program.ts";
import type { DatabaseName } from "./database-program.ts";
import { floodCommand } from "./flood/command.ts";
import { describeFigures, describeViolations } from "./report.ts";
import { runChaos } from "./run.ts";
import { describeFault, drawSchedule } from "./schedule.ts";

const USAGE = `Runs the service and agents under load, disturbs them, and checks the service's promises (docs/reliability.md).
usage: npm run chaos -- [--minutes N] [--seed S] [--database ours|sqld] [--schedule] [--keep]
  --minutes N   how long faults and load last (2); fractions are allowed
  --seed S      the seed of all faults and their times; random if it is left out
  --database D  the database server: ours (the project's, the default) or sqld (libSQL's)
  --schedule    prints the faults of this seed, and runs nothing
  --keep        keeps the run's directory even if every check passed
npm run chaos -- flood: many events at once, while the database is disturbed`;
const MINUTE_MS = 60_000;

/**
 * `npm run chaos`: real programs, real faults, and a check of the service's promises. Exit code 1 when one was broken.
 */
if (process.argv[2] === "flood") {
  stopWithChildren();
  process.exit(await floodCommand(process.argv.slice(3)));
}
const options = readOptions();
const durationMs = options.minutes * MINUTE_MS;
if (options.schedule) {
  for (const { number, atMs, lastsMs, fault } of drawSchedule(options.seed, durationMs).faults) {
    console.log(
      `${number}. at ${(atMs / 1_000).toFixed(1)} s for ${(lastsMs / 1_000).toFixed(1)} s: ${describeFault(fault)}`,
    );
  }
  process.exit(0);
}
const directory = await mkdtemp(join(tmpdir(), "bellhop-chaos-"));
stopWithChildren();
console.log(`seed ${options.seed}, ${options.minutes} min, on ${options.database}, in ${directory}\n`);
const { figures, violations } = await runChaos({
  seed: options.seed,
  durationMs,
  database: options.database,
  directory,
  meanGapMs: 4_000,
  tickEveryMs: durationMs < 5 * MINUTE_MS ? 10_000 : MINUTE_MS,
  restWithinMs: 4 * MINUTE_MS,
  say: console.log,
});
console.log(`\n${describeFigures(figures)}\n\n${describeViolations(violations)}`);
if (violations.length > 0) {
  console.log(
    `\nAgain: npm run chaos -- --minutes ${options.minutes} --seed ${options.seed} --database ${options.database}`,
  );
  console.log(`Logs, database and evidence.json: ${directory}`);
} else if (options.keep) console.log(`\n${directory}`);
else await rm(directory, { recursive: true, force: true });
process.exit(violations.length > 0 ? 1 : 0);

function stopWithChildren(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void killChildren().finally(() => process.exit(1)));
  }
}

function readOptions(): { minutes: number; seed: string; database: DatabaseName; schedule: boolean; keep: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string", default: "2" },
        seed: { type: "string", default: String(Date.now() % 1_000_000) },
        database: { type: "string", default: "ours" },
        schedule: { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= 24 * 60))
      throw new Error("--minutes must be a number above 0, and of a day at most");
    if (!/^[A-Za-z0-9_-]{1,32}$/u.test(values.seed))
      throw new Error("--seed must be 1 to 32 letters, digits, '_' or '-'");
    return { ...values, minutes, database: databaseNamed(values.database) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return process.exit(1);
  }
}
