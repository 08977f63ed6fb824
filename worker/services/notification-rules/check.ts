import { notificationRuleInputSchema } from "../../../schema/contract/notification-rule.ts";
import type { NotificationRuleInput } from "../../../schema/contract/notification-rule.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { zoneProblem } from "../../domain/cron/zone.ts";
import { findNotificationReceivers } from "../../store/notification-receivers.ts";
import { findWorkflowNames, tagsInUse } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { knownPools } from "../pools/index.ts";

/**
 * A rule, checked against the workflows, pools and receivers that exist; workflows and pools that the rule named before
 * may be gone since. Throws `invalid_request` with each problem's path.
 */
export async function checkRule(
  deps: Deps,
  input: unknown,
  before: NotificationRuleInput | null,
): Promise<NotificationRuleInput> {
  const rule = parseInput(notificationRuleInputSchema, input);
  const workflows = added(workflowIdsOf, rule, before);
  const known = workflows.length === 0 ? [] : await findWorkflowNames(deps.db, workflows);
  const pools = added(poolIdsOf, rule, before);
  const knownPoolIds = pools.length === 0 ? [] : [...(await knownPools(deps)).keys()].map((id) => ({ id }));
  const receivers = await findNotificationReceivers(deps.db, rule.receivers);
  const zone = rule.quietHours?.timeZone;
  const problem = zone === undefined ? null : zoneProblem(zone);
  const errors: FieldError[] = [
    ...missing(workflows, known).map((id) => {
      const path = `scope.workflowIds.${workflowIdsOf(rule).indexOf(id)}`;
      return { path, message: "there is no workflow of this id: GET /workflows lists them" };
    }),
    ...missing(pools, knownPoolIds).map((id) => {
      const path = `poolIds.${poolIdsOf(rule).indexOf(id)}`;
      return { path, message: "there is no pool of this id: GET /pools lists them" };
    }),
    ...missing(rule.receivers, receivers).map((id) => {
      const path = `receivers.${rule.receivers.indexOf(id)}`;
      return { path, message: "there is no receiver of this id: GET /notification-receivers lists them" };
    }),
    ...(problem === null ? [] : [{ path: "quietHours.timeZone", message: problem }]),
  ];
  if (errors.length > 0) throw invalidInput(errors);
  return rule;
}

/** Possible mistakes of a rule that can be saved. */
export async function warningsAbout(deps: Deps, rule: NotificationRuleInput): Promise<FieldError[]> {
  const tags = "scope" in rule ? (rule.scope.tags ?? []) : [];
  const used = tags.length === 0 ? [] : await tagsInUse(deps.db, tags);
  return tags.flatMap((tag, place) =>
    used.includes(tag) ? [] : [{ path: `scope.tags.${place}`, message: "no workflow has this tag yet" }],
  );
}

function workflowIdsOf(rule: NotificationRuleInput): readonly string[] {
  return "scope" in rule ? (rule.scope.workflowIds ?? []) : [];
}

function poolIdsOf(rule: NotificationRuleInput): readonly string[] {
  return "poolIds" in rule ? (rule.poolIds ?? []) : [];
}

/** The ids that the rule did not name before. */
function added(
  idsOf: (rule: NotificationRuleInput) => readonly string[],
  rule: NotificationRuleInput,
  before: NotificationRuleInput | null,
): string[] {
  const former = before === null ? [] : idsOf(before);
  return idsOf(rule).filter((id) => !former.includes(id));
}

function missing(ids: readonly string[], found: readonly { id: string }[]): string[] {
  return ids.filter((id) => !found.some((one) => one.id === id));
}
