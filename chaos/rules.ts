import { z } from "zod";
import type { Admin } from "./admin.ts";
import { WATCHED, kindOf } from "./workflows.ts";
import type { KindName } from "./workflows.ts";

/** The notification rules of the load. Both report every failure and no recovery. */
const RULES = {
  each: { groupMinutes: 0, scope: { everything: true } },
  grouped: { groupMinutes: 1, scope: { tags: [WATCHED] } },
} as const;
export type RuleName = keyof typeof RULES;

export const RULE_NAMES = Object.keys(RULES).filter((name): name is RuleName => Object.hasOwn(RULES, name));

/** Whether failed runs of a kind are reported. Sub-workflows are not: the run that started them is. */
export function reports(rule: RuleName, kind: KindName): boolean {
  const { trigger, isUntagged } = kindOf(kind);
  return trigger !== "call" && (rule === "each" || isUntagged !== true);
}

const withId = z.object({ id: z.string() });

/** Each rule has its own receiver, whose address names it and ends with a secret. */
export async function setUpRules(admin: Admin, receiverUrl: string, secret: string): Promise<void> {
  for (const name of RULE_NAMES) {
    const to = `${receiverUrl}/${name}/${secret}`;
    const receiver = await admin.call("POST", "/notification-receivers", { name, type: "webhook", to }, withId);
    const rule = { name, on: "run_failed", when: "every", recovered: false, receivers: [receiver.id], ...RULES[name] };
    await admin.call("POST", "/notification-rules", rule, withId);
  }
}
