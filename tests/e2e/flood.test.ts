import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeFlood } from "../../chaos/flood/describe.ts";
import { runFlood } from "../../chaos/flood/run.ts";
import { sqldProgram } from "../../scripts/sqld/start-sqld.ts";
import { FULL } from "../support/full.ts";

/** A small `npm run chaos -- flood`, without its times: the large ones are in docs/reliability.md. */
const EVENTS_PER_WORKFLOW = 10;
const TIMES = { faultMs: 2_000, probeMs: 0, afterWaitMs: 0, drainWithinMs: 60_000 };

const onSqld = FULL && sqldProgram() !== null;
/** The Workers of several processes do not know each other's writes. */
const SIZES = [["slow", 1], ...(FULL ? [["busy", 1] as const] : []), ["busy", 4], ["gone", 1]] as const;
const CASES = SIZES.flatMap(([fault, isolates]) => [
  ["ours", fault, isolates] as const,
  ...(onSqld ? [["sqld", fault, isolates] as const] : []),
]);

test.each(CASES)(
  "each event of a flood ends once while the database (%s) is %s, with %i processes of the Worker",
  async (database, fault, isolates) => {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-flood-"));
    const size = { workflows: Math.max(2, isolates), eventsPerWorkflow: EVENTS_PER_WORKFLOW, isolates };
    const { figures, violations } = await runFlood({ directory, database, fault, ...size, ...TIMES });
    if (violations.length > 0 || figures.finished < figures.sent) console.log(describeFlood(figures, violations));
    expect(violations).toEqual([]);
    // A flood without work or without a fault would prove nothing.
    const sent = size.workflows * EVENTS_PER_WORKFLOW;
    expect(figures).toMatchObject({ sent, accepted: sent, finished: sent });
    if (fault === "busy") expect(figures.traffic.busyByProxy).toBeGreaterThan(0);
    await rm(directory, { recursive: true, force: true });
  },
  120_000,
);
