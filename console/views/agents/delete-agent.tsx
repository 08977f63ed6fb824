import { Alert, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useLocation } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAll } from "../../api/use-all.ts";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

/** Deletes an agent after a warning: what happens to its jobs, and which connections are left without an agent. */
export function DeleteAgent({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  const [, navigate] = useLocation();
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 200 } });
  const pinned = connections.items?.filter(({ agentId }) => agentId === agent.id) ?? [];
  const remove = useToastMutation(
    () => call("DELETE", "/api/v1/automation/agents/{id}", { path: { id: agent.id } }, { ifMatch: agent.revision }),
    {
      done: () => `${agent.name} is deleted.`,
      failed: `${agent.name} was not deleted`,
      refreshes: ["/api/v1/automation/agents", "/api/v1/automation/pools", "/api/v1/automation/pools/{id}"],
    },
  );
  const run = async () => {
    if (await remove.run(undefined)) navigate("/agents");
    else onClose();
  };
  return (
    <Modal opened onClose={onClose} title={`Delete ${agent.name}?`}>
      <Stack gap="sm">
        <Text size="sm">
          This cannot be undone. The agent&apos;s key stops working immediately. The process on its machine stays until
          someone removes it there.
        </Text>
        <List size="sm" spacing={4}>
          {agent.poolId === null ? null : (
            <List.Item>Jobs that it has not fetched move to the other agents of pool {agent.poolId}.</List.Item>
          )}
          <List.Item>Jobs that only it could run fail with agent_deleted.</List.Item>
          <List.Item>
            {agent.runningJobs === 0
              ? "It runs no job now."
              : `The ${agent.runningJobs === 1 ? "job that it runs counts" : `${agent.runningJobs} jobs that it runs count`} as lost: jobs that are safe to repeat go to another agent, the others fail with agent_lost.`}
          </List.Item>
        </List>
        {pinned.length === 0 ? null : (
          <Alert color="yellow" title="These connections use only this agent">
            <Text size="sm">
              Workflows cannot use them until they name another agent or a pool:{" "}
              {pinned.map(({ name }) => name).join(", ")}.
            </Text>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep agent
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => void run()}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
