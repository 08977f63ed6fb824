import { Alert, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useAll } from "../../api/use-all.ts";
import { notDone } from "../../ui/not-done.ts";
import { LoadingState, ProblemText } from "../../ui/states.tsx";
import { inItsVault } from "./connections-of.ts";
import { NewAgent } from "./new-agent.tsx";
import { AGENT_READS } from "./refreshes.ts";
import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";

/** Replaces an agent's key: first a list of the connections that break, then the key, shown once. */
export function RegenerateKey({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  // The agent as it was then: later changes must not change the instructions.
  const [replaced, setReplaced] = useState<{ agent: AgentView; apiKey: string } | null>(null);
  const regenerate = useAction(
    async (_: undefined, options) => {
      const path = { id: agent.id };
      // The key is set here and not returned: the query cache keeps an action's result for a while.
      const { apiKey } = await call("POST", "/api/v1/automation/agents/{id}/regenerate-key", { path }, options);
      setReplaced({ agent, apiKey });
    },
    { refreshes: AGENT_READS },
  );
  return (
    <Modal
      opened
      onClose={onClose}
      size={replaced === null ? "md" : "xl"}
      title={replaced === null ? `Regenerate the key of ${agent.name}?` : `The new key of ${agent.name}`}
      closeOnClickOutside={replaced === null}
      closeOnEscape={replaced === null}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {replaced === null ? (
        <Stack gap="sm">
          <Text size="sm">
            The old key stops working immediately, so the agent stops until you set the new key. Its current jobs count
            as lost after {OFFLINE_AFTER_MS / 1_000} s of silence.
          </Text>
          <Lost agent={agent} />
          {regenerate.error === null ? null : (
            <Alert color="red" role="alert" title={notDone("The key was not changed", regenerate.error)}>
              <ProblemText error={regenerate.error} />
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Keep key
            </Button>
            <Button color="red" loading={regenerate.isPending} onClick={() => regenerate.mutate(undefined)}>
              Regenerate
            </Button>
          </Group>
        </Stack>
      ) : (
        <NewAgent {...replaced} rekey={replaced.agent.registration !== null} onClose={onClose} />
      )}
    </Modal>
  );
}

/** The vault is encrypted with the old key, so every credential in it must be delivered again. */
function Lost({ agent }: { agent: AgentView }) {
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 200 } });
  if (!connections.isWhole && connections.error === null) return <LoadingState label="Loading its connections" />;
  const lost = inItsVault(connections.items ?? [], agent.id);
  return (
    <Alert color="yellow" title="Its vault becomes unreadable">
      <Text size="sm">
        {lost.length === 0
          ? `${connections.isWhole ? "No credential was delivered to it through Bellhop." : "Its connections could not be read."} Credentials that were set on its machine must be set again.`
          : "It is encrypted with the old key. Deliver the credentials of these connections again:"}
      </Text>
      {lost.length === 0 ? null : (
        <List size="sm" mt={4}>
          {lost.map(({ id, name, type }) => (
            <List.Item key={id}>
              {name} ({type})
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
