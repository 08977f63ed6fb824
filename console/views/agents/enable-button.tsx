import { Button } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { confirm } from "../../ui/confirm.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { AGENT_READS } from "./refreshes.ts";

/** Disables or enables an agent. */
export function EnableButton({ agent }: { agent: AgentView }) {
  const { id, name, enabled, revision, runningJobs } = agent;
  const enable = useToastMutation(
    () => call("POST", "/api/v1/automation/agents/{id}/enable", { path: { id } }, { ifMatch: revision }),
    { done: () => `${name} gets jobs again.`, failed: `${name} was not enabled`, refreshes: AGENT_READS },
  );
  const disable = useToastMutation(
    () => call("POST", "/api/v1/automation/agents/{id}/disable", { path: { id } }, { ifMatch: revision }),
    { done: () => `${name} gets no new jobs.`, failed: `${name} was not disabled`, refreshes: AGENT_READS },
  );
  if (!enabled) {
    return (
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={enable.isPending}
        onClick={() => void enable.run(undefined)}
      >
        Enable
      </Button>
    );
  }
  const ask = async () => {
    const isSure = await confirm({
      title: `Disable ${name}?`,
      body: (
        <>
          It gets no new jobs and keeps running.{" "}
          {runningJobs === 0
            ? "It runs no job now."
            : `Its ${runningJobs === 1 ? "current job finishes" : `${runningJobs} current jobs finish`} normally.`}{" "}
          {agent.poolId === null
            ? "Jobs of connections that name it wait until it is enabled."
            : `New jobs go to the other agents of pool ${agent.poolId}; a job waits when none of them can take it.`}
        </>
      ),
      confirmLabel: "Disable",
      keepLabel: "Keep enabled",
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
      Disable
    </Button>
  );
}
