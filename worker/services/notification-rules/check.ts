import { notificationRuleInputSchema } from "../../../schema/contract/notification-rule.ts";
import type { NotificationRuleInput } from "../../../schema/contract/notification-rule.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { zoneProblem } from "../../domain/cron/zone.ts";
import { findNotificationReceivers } from "../../store/notification-receivers.ts";
import { findWorkflowNames } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";

/**
 * A rule, checked against the workflows and receivers that exist; those that the rule named before may have been
 * deleted since. Throws `invalid_request` with each problem's path.
 */
export async function checkRule(
  deps: Deps,
  input: unknown,
  before: NotificationRuleInput | null,
): Promise<NotificationRuleInput> {
  const rule = parseInput(notificationRuleInputSchema, input);
  const workflows = workflowIdsOf(rule).filter((id) => before === null || !workflowIdsOf(before).includes(id));
  const known = workflows.length === 0 ? [] : await findWorkflowNames(deps.db, workflows);
  const receivers = await findNotificationReceivers(deps.db, rule.receivers);
  const zone = rule.quietHours?.timeZone;
  const problem = zone === undefined ? null : zoneProblem(zone);
  const errors: FieldError[] = [
    ...missing(workflows, known).map((id) => {
      const path = `scope.workflowIds.${workflowIdsOf(rule).indexOf(id)}`;
      return { path, message: "there is no workflow of this id: GET /workflows lists them" };
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

function workflowIdsOf(rule: NotificationRuleInput): readonly string[] {
  return "scope" in rule ? (rule.scope.workflowIds ?? []) : [];
}

function missing(ids: readonly string[], found: readonly { id: string }[]): string[] {
  return ids.filter((id) => !found.some((one) => one.id === id));
}
