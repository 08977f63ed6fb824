import { expect, test } from "bun:test";
import fc from "fast-check";
import { isTerminalNodeRun } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { action } from "./engine.ts";
import { endAt, loop, over } from "./for-each.ts";

const rules = fc
  .record({
    count: fc.integer({ min: 0, max: 20 }),
    maxFailures: fc.option(fc.integer({ min: 1, max: 6 }), { nil: 0 }),
    batchSize: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
    pauseSeconds: fc.integer({ min: 0, max: 60 }),
    continueOnError: fc.boolean(),
    checked: fc.option(fc.integer({ min: 0, max: 4 }), { nil: null }),
    room: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ room, ...rest }) => ({ ...rest, concurrency: Math.min(room, rest.batchSize ?? room) }));
const outcomes = fc.array(fc.record({ which: fc.nat(), fails: fc.boolean() }), { minLength: 20, maxLength: 20 });

test("after any outcomes, a forEach keeps its failures, its batches and its pauses, and each item ends or is not started", () => {
  fc.assert(
    fc.property(rules, outcomes, (rule, happenings) => {
      const { count, maxFailures, batchSize, pauseSeconds, continueOnError, checked, concurrency } = rule;
      const engine = over(
        Array.from({ length: count }, (_, index) => index),
        [loop([action("do")], fieldsOf(rule))],
      );
      const runs = () => engine.state.nodeRuns.filter(({ nodeId }) => nodeId === "do");
      const batchOf = (index: number) => Math.floor(index / (batchSize ?? Math.max(1, count)));
      const endedAt = new Map<number, number>();
      let failures = 0;
      for (const { which, fails } of happenings) {
        const open = runs().filter(({ status }) => !isTerminalNodeRun(status));
        expect(open.length).toBeLessThanOrEqual(concurrency);
        expect(new Set(open.map(({ path }) => batchOf(path[0] ?? 0))).size).toBeLessThanOrEqual(1);
        const run = open[which % Math.max(1, open.length)];
        if (run === undefined) break;
        const known = new Set(runs().map(({ path }) => path[0] ?? 0));
        engine.now += 1_000;
        endAt(engine, "do", [...run.path], fails);
        failures += fails ? 1 : 0;
        const batch = batchOf(run.path[0] ?? 0);
        endedAt.set(batch, engine.now);
        if (engine.run("loop").status === "waiting") {
          expect(engine.state.wakeAt).toBe(engine.now + pauseSeconds * 1_000);
          engine.now += pauseSeconds * 1_000;
          engine.apply({ type: "woken" });
        }
        const begins = runs().flatMap(({ path: [index = 0] }) => (known.has(index) ? [] : [index]));
        if (begins.length > 0) expect(failures).toBeLessThanOrEqual(maxFailures);
        for (const index of begins.filter((one) => batchOf(one) > batch)) {
          expect(runs().filter(({ path }) => batchOf(path[0] ?? 0) < batchOf(index) && path[0] !== index)).toHaveLength(
            batchOf(index) * (batchSize ?? 1),
          );
          expect(engine.now - (endedAt.get(batchOf(index) - 1) ?? 0)).toBeGreaterThanOrEqual(pauseSeconds * 1_000);
          if (checked !== null) expect(failures).toBeLessThanOrEqual(checked);
        }
      }
      const { status, output, error } = engine.run("loop");
      const begun = runs();
      expect(begun.every((run) => isTerminalNodeRun(run.status))).toBe(true);
      expect(failures).toBeLessThanOrEqual(maxFailures + concurrency);
      expect(output).toMatchObject({ total: count, failed: failures, notStarted: count - begun.length });
      expect(engine.state.wakeAt).toBeNull();
      const isStopped = failures > maxFailures || error?.code === "check_failed";
      expect(status).toBe(isStopped || (failures > 0 && !continueOnError) ? "failed" : "succeeded");
      if (!isStopped) expect(begun).toHaveLength(count);
    }),
    { numRuns: 400 },
  );
});

interface Rule {
  maxFailures: number;
  batchSize: number | null;
  pauseSeconds: number;
  continueOnError: boolean;
  checked: number | null;
  concurrency: number;
}

function fieldsOf({ maxFailures, batchSize, pauseSeconds, continueOnError, checked, concurrency }: Rule): JsonObject {
  const check = {
    logic: "any",
    conditions: [{ field: "foreach.failed", operator: "lessThan", value: (checked ?? 0) + 1 }],
  };
  return {
    maxFailures,
    continueOnError,
    concurrency,
    ...(batchSize === null ? {} : { batchSize, pauseSeconds, ...(checked === null ? {} : { check }) }),
  };
}
