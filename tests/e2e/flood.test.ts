import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFlood } from "../../chaos/flood/describe.ts";
import { runFlood } from "../../chaos/flood/run.ts";
import { sqldProgram } from "../../scripts/sqld/start-sqld.ts";
import { FULL } from "../support/full.ts";

/** A small `npm run chaos -- flood`, without its times: the large ones are in docs/reliability.md. */
const SIZE = { workflows: 2, eventsPerWorkflow: 10, isolates: 1 };
const TIMES = { faultMs: 2_000, probeMs: 0, afterWaitMs: 0, drainWithinMs: 60_000 };

const onSqld = FULL && sqldProgram() !== null;
const CASES = (["slow", "busy", "gone"] as const).flatMap((fault) => [
  ["ours", fault] as const,
  ...(onSqld ? [["sqld", fault] as const] : []),
]);

test.each(CASES)(
  "each event of a flood ends once while the database (%s) is %s",
  async (database, fault) => {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-flood-"));
    const { figures, violations } = await runFlood({ directory, database, fault, ...SIZE, ...TIMES });
    const once = violations.filter(({ check }) => check.includes("exactly once"));
    if (once.length > 0 || figures.finished < figures.sent) console.log(describeFlood(figures, violations));
    expect(once).toEqual([]);
    // A flood without work or without a fault would prove nothing.
    expect(figures).toMatchObject({ sent: 20, accepted: 20, finished: 20 });
    if (fault === "busy") expect(figures.traffic.busyByProxy).toBeGreaterThan(0);
    await rm(directory, { recursive: true, force: true });
  },
  120_000,
);
