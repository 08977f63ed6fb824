import type { Evidence } from "../evidence.ts";
import type { NoticeFact } from "../notice-receiver.ts";
import { RULE_NAMES, reports } from "../rules.ts";
import type { RuleName } from "../rules.ts";
import { kindOf } from "../workflows.ts";
import { groupBy, violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** Each failed run of a workflow with the tag starts one run of the failure workflow, and nothing else starts one. */
export function failuresStartOnce({ executions }: Evidence): Violation[] {
  const check = "a failure starts its failure workflow once";
  const started = executions.filter(({ kind }) => kindOf(kind).trigger === "failure");
  const byFailed = groupBy(started, ({ key }) => key);
  const failed = executions.filter(({ kind, status }) => {
    const { trigger, isUntagged } = kindOf(kind);
    return status === "failed" && trigger !== "failure" && trigger !== "call" && isUntagged !== true;
  });
  const known = new Set(failed.map(({ id }) => id));
  return [
    ...failed.flatMap(({ id, kind }) => {
      const runs = byFailed.get(id) ?? [];
      if (runs.length === 1) return [];
      const ids = runs.map((run) => run.id).join(", ");
      return [violation(check, `${id} (${kind}) failed, and started ${runs.length} runs: ${ids}`, id)];
    }),
    ...started
      .filter(({ key }) => !known.has(key))
      .map(({ id, key }) => violation(check, `${id} was started by ${key}, which starts none`, id)),
  ];
}

/** Each failed run is reported once by each rule that it meets, and nothing else is. A repeated message has its id. */
export function failuresReportedOnce(evidence: Evidence): Violation[] {
  return RULE_NAMES.flatMap((rule) => reportedOnce(rule, evidence));
}

function reportedOnce(rule: RuleName, { executions, notices }: Evidence): Violation[] {
  const check = "a failure is reported once";
  const failed = failuresFor(rule, executions);
  const sent = messagesOf(rule, notices);
  const changed = [...sent].filter(([, same]) => new Set(same.map(({ subject, text }) => subject + text)).size > 1);
  const messages = [...sent.values()].flatMap(([first]) => (first === undefined ? [] : [contentOf(first)]));
  const named = groupBy(
    messages.flatMap(({ id, executionIds }) => executionIds.map((executionId) => ({ id, executionId }))),
    ({ executionId }) => executionId,
  );
  const count = countReported(rule, notices);
  const isWhole = messages.every((message) => message.count === message.executionIds.length);
  const missing = isWhole ? [...failed].filter((id) => !named.has(id)) : [];
  return [
    ...changed.map(([id]) => violation(check, `${id} came again with another text`)),
    ...[...named].flatMap(([executionId, said]) => {
      const ids = said.map(({ id }) => id).join(", ");
      if (!failed.has(executionId)) {
        return [
          violation(check, `the rule ${rule} reported ${executionId}, which it does not, in ${ids}`, executionId),
        ];
      }
      return said.length === 1 ? [] : [violation(check, `the rule ${rule} reported it in ${ids}`, executionId)];
    }),
    ...missing.map((id) => violation(check, `the rule ${rule} did not report ${id}`, id)),
    ...(count === failed.size
      ? []
      : [violation(check, `the rule ${rule} reported ${count} failures, and there are ${failed.size}`)]),
  ];
}

/** The runs that a rule must report. */
function failuresFor(rule: RuleName, executions: Evidence["executions"]): ReadonlySet<string> {
  return new Set(executions.flatMap(({ id, kind, status }) => (status === "failed" && reports(rule, kind) ? id : [])));
}

/** How many failures a rule has reported. */
export function countReported(rule: RuleName, notices: readonly NoticeFact[]): number {
  const messages = [...messagesOf(rule, notices).values()];
  return messages.reduce((sum, [first]) => sum + (first === undefined ? 0 : contentOf(first).count), 0);
}

/** By id, with their repetitions. */
function messagesOf(rule: RuleName, notices: readonly NoticeFact[]): Map<string, NoticeFact[]> {
  return groupBy(
    notices.filter((notice) => notice.rule === rule),
    ({ id }) => id,
  );
}

/** The failures of a message. It names the first twenty, and counts all. */
function contentOf({ id, subject, text }: Pick<NoticeFact, "id" | "subject" | "text">) {
  const executionIds = [...text.matchAll(/Execution: (exe_[0-9a-f-]{36})/gu)].flatMap(([, found]) => found ?? []);
  return { id, executionIds, count: Number(/^(\d+) notices: /u.exec(subject)?.[1] ?? 1) };
}
