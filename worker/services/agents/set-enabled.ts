import type { AgentView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeAgent } from "./change-agent.ts";
import { viewAgent } from "./view.ts";

/** A disabled agent gets no new jobs and keeps running (docs/design/dispatch.md#agent-settings). Safe to repeat. */
export async function setAgentEnabled(
  deps: Deps,
  actor: string,
  id: string,
  enabled: boolean,
  expected: ExpectedRevisions = null,
): Promise<AgentView> {
  const row = await changeAgent(
    deps,
    id,
    (row) =>
      row.enabled === enabled
        ? null
        : { changes: { enabled }, audit: { actor, verb: enabled ? "enable" : "disable", detail: { name: row.name } } },
    expected,
  );
  return viewAgent(deps, row);
}
