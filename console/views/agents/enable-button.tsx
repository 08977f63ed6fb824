import { Button } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { agents as text } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { confirm } from "../../ui/confirm.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { AGENT_READS } from "./refreshes.ts";

/** Disables or enables an agent. */
export function EnableButton({ agent }: { agent: AgentView }) {
  const { id, name, enabled, revision, runningJobs } = agent;
  const enable = useToastMutation(
    () => call("POST", "/api/v1/automation/agents/{id}/enable", { path: { id } }, { ifMatch: revision }),
    { done: () => text.enable.done(name), failed: text.enable.failed(name), refreshes: AGENT_READS },
  );
  const disable = useToastMutation(
    () => call("POST", "/api/v1/automation/agents/{id}/disable", { path: { id } }, { ifMatch: revision }),
    { done: () => text.disable.done(name), failed: text.disable.failed(name), refreshes: AGENT_READS },
  );
  if (!enabled) {
    return (
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={enable.isPending}
        onClick={() => void enable.run(undefined)}
      >
        {common.enable}
      </Button>
    );
  }
  const ask = async () => {
    const isSure = await confirm({
      title: text.disable.title(name),
      body: `${text.disable.effect} ${text.disable.running(runningJobs)} ${text.disable.waiting(agent.poolId)}`,
      confirmLabel: common.disable,
      keepLabel: text.disable.keep,
    });
    if (isSure) await disable.run(undefined);
  };
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerPause size={16} aria-hidden />}
      loading={disable.isPending}
      onClick={() => void ask()}
    >
      {common.disable}
    </Button>
  );
}
