import { expect, test } from "bun:test";
import { notificationRuleInputSchema } from "../../schema/contract/notification-rule.ts";
import { poolsToRead } from "../../worker/domain/alerts/pools-to-read.ts";

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
  expect(poolsToRead(pools, rules, 3)).toEqual(["y", "z", "a"]);
  expect(poolsToRead(pools, rules, 10)).toEqual(["y", "z", "a", "b", "x"]);
});
