import { expect, test } from "bun:test";
import { notificationRuleInputSchema } from "../../schema/contract/notification-rule.ts";
import { poolsToRead } from "../../worker/domain/alerts/pools-to-read.ts";

const POOLS = Array.from({ length: 95 }, (_, n) => `p${String(n).padStart(3, "0")}`);
const rule = (more: object) =>
  notificationRuleInputSchema.parse({ name: "a", on: "pool_offline", receivers: ["ntr_1"], ...more });

test("pools that rules name are read before others, when there are more than a look can read", () => {
  const rules = [
    rule({ poolIds: ["z", "gone"] }),
    rule({ on: "queue_old", poolIds: ["y"] }),
    rule({ poolIds: ["x"], enabled: false }),
    rule({ on: "run_failed" }),
    rule({}),
  ];
  const pools = ["x", "b", "z", "a", "y"];
  expect(poolsToRead(pools, rules, { limit: 3, turn: 0 })).toEqual(["y", "z", "a"]);
  expect(poolsToRead(pools, rules, { limit: 10, turn: 7 })).toEqual(["y", "z", "a", "b", "x"]);
});

test.each([
  ["named ones at each look and others by turns", [rule({ poolIds: ["p007"] })], "p007"],
  ["named ones by turns, when rules name more than a look can read", [rule({ poolIds: POOLS.slice(0, 30) })], null],
])("every pool is looked at again after a few looks: %s", (_, rules, always) => {
  const looks = [5, 6, 7, 8, 9, 10].map((turn) => poolsToRead(POOLS, rules, { limit: 20, turn }));
  for (const look of looks) expect(new Set(look).size).toBe(20);
  expect(new Set(looks.flat()).size).toBe(POOLS.length);
  for (const look of looks) if (always !== null) expect(look).toContain(always);
});
