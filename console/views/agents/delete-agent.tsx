import { Alert, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useLocation } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAll } from "../../api/use-all.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

const text = agents.remove;

/** Deletes an agent after a warning: what happens to its jobs, and which connections are left without an agent. */
export function DeleteAgent({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  const [, navigate] = useLocation();
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 200 } });
  const pinned = connections.items?.filter(({ agentId }) => agentId === agent.id) ?? [];
  const remove = useToastMutation(
    () => call("DELETE", "/api/v1/automation/agents/{id}", { path: { id: agent.id } }, { ifMatch: agent.revision }),
    {
      done: () => text.done(agent.name),
      failed: text.failed(agent.name),
      refreshes: ["/api/v1/automation/agents", "/api/v1/automation/pools", "/api/v1/automation/pools/{id}"],
    },
  );
  const run = async () => {
    if (await remove.run(undefined)) navigate("/agents");
    else onClose();
  };
  return (
    <Modal opened onClose={onClose} title={text.title(agent.name)}>
      <Stack gap="sm">
        <Text size="sm">{text.effect}</Text>
        <List size="sm" spacing={4}>
          {agent.poolId === null ? null : <List.Item>{text.queued(agent.poolId)}</List.Item>}
          <List.Item>{text.onlyHere}</List.Item>
          <List.Item>{text.running(agent.runningJobs)}</List.Item>
        </List>
        {pinned.length === 0 ? null : (
          <Alert color="yellow" title={text.connections}>
            <Text size="sm">{text.connectionsFail(pinned.map(({ name }) => name))}</Text>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.keep}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => void run()}>
            {common.delete}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
