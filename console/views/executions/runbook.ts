import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { isWebAddress } from "../../../schema/contract/web-address.ts";

/** Tags in which alerts carry the address of their runbook. */
const TAGS = ["runbook_url", "runbookUrl", "runbook"];

/** The address of the workflow's runbook, otherwise of the incident's; only addresses that are safe as a link. */
export function runbookOf(ofWorkflow: string | null, trigger: ExecutionTrigger): string | null {
  const tags = trigger.type === "incident" ? objectOf(trigger.incident["tags"] ?? null) : {};
  const candidates = [ofWorkflow, ...TAGS.map((tag) => tags[tag])];
  return (
    candidates.filter((text) => typeof text === "string").find((text) => isWebAddress(text) && URL.canParse(text)) ??
    null
  );
}
