import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killChildren } from "../child.ts";
import type { Violation } from "../checks/violation.ts";
import { databaseNamed } from "../database-program.ts";
import type { DatabaseName } from "../database-program.ts";
import { DATABASE_FAULTS } from "./database-proxy.ts";
import type { DatabaseFault } from "./database-proxy.ts";
import { describeFlood } from "./describe.ts";
import { recovers } from "./figures.ts";
import type { FloodFigures } from "./figures.ts";
import { runFlood } from "./run.ts";

const USAGE = `Sends 60 webhooks at once to each of many workflows while the database is disturbed for 30 s, and checks that every
accepted event ends exactly once and that the service recovers. A run takes up to four minutes.
usage: npm run chaos -- flood [--database ours|sqld] [--fault none|slow|busy|gone] [--workflows N] [--isolates N] [--json]
  --database D   the database server: ours (the project's, the default) or sqld (libSQL's)
  --fault F      none, slow (50 ms more for each request), busy (every third write is refused) or gone (no answer);
                 a run without a fault comes first, as the measure. All of them, one after the other, if it is left out
  --workflows N  how many workflows get 60 events at once; 10 and then 100 if it is left out
  --isolates N   how many workerd processes share the database (1)
  --json         prints one JSON object`;
const EVENTS_PER_WORKFLOW = 60;
const WORKFLOWS = [10, 100];
const TIMES = { faultMs: 30_000, probeMs: 5_000, afterWaitMs: 10_000, drainWithinMs: 200_000 };

interface Options {
  database: DatabaseName;
  faults: DatabaseFault[];
  workflows: number[];
  isolates: number;
  json: boolean;
}

interface Result {
  workflows: number;
  figures: FloodFigures;
  violations: Violation[];
}

/** `npm run chaos -- flood`. Returns the exit code: 1 when an event was lost or doubled, or when recovery was too slow. */
export async function floodCommand(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) return 1;
  const results: Result[] = [];
  for (const workflows of options.workflows) {
    let calm: FloodFigures | null = null;
    for (const fault of options.faults) {
      const { figures, violations } = await oneFlood(options, workflows, fault);
      calm ??= figures;
      const result = { workflows, figures, violations: [...violations, ...recovers(figures, calm)] };
      results.push(result);
      if (!options.json) console.log(`${describeFlood(figures, result.violations)}\n`);
    }
  }
  if (options.json) console.log(JSON.stringify(results));
  return results.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

async function oneFlood({ database, isolates }: Options, workflows: number, fault: DatabaseFault) {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-flood-"));
  try {
    return await runFlood({
      directory,
      database,
      fault,
      workflows,
      isolates,
      eventsPerWorkflow: EVENTS_PER_WORKFLOW,
      ...TIMES,
    });
  } finally {
    await killChildren();
    await rm(directory, { recursive: true, force: true });
  }
}

function readOptions(args: string[]): Options | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        database: { type: "string", default: "ours" },
        fault: { type: "string" },
        workflows: { type: "string" },
        isolates: { type: "string", default: "1" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const { workflows, isolates, fault } = values;
    return {
      database: databaseNamed(values.database),
      faults: fault === undefined ? [...DATABASE_FAULTS] : faultsFor(fault),
      workflows: workflows === undefined ? WORKFLOWS : [wholeNumber("--workflows", workflows, 1_000)],
      isolates: wholeNumber("--isolates", isolates, 50),
      json: values.json,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return null;
  }
}

/** The run without a fault is the measure for the others. */
function faultsFor(name: string): DatabaseFault[] {
  const fault = DATABASE_FAULTS.find((each) => each === name);
  if (fault === undefined) {
    throw new Error(`--fault must be ${DATABASE_FAULTS.join(", ")}, not ${JSON.stringify(name)}`);
  }
  return fault === "none" ? ["none"] : ["none", fault];
}

function wholeNumber(option: string, text: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Error(`${option} must be a whole number from 1 to ${max}, not ${JSON.stringify(text)}`);
}
