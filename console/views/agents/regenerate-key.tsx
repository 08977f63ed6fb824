import { Alert, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useAll } from "../../api/use-all.ts";
import { agentSetUp } from "../../strings/en/agent-set-up.ts";
import { notDone } from "../../ui/not-done.ts";
import { SecretOnce } from "../../ui/copy.tsx";
import { LoadingState, ProblemText } from "../../ui/states.tsx";
import { inItsVault } from "./connections-of.ts";
import { RekeySteps } from "./install-steps.tsx";
import { AGENT_READS } from "./refreshes.ts";
import { useInstallSource } from "./use-install-source.ts";
import { WaitForAgent } from "./wait-for-agent.tsx";

const text = agentSetUp.rekey;

/** Replaces an agent's key: first a list of the connections that break, then the key, shown once. */
export function RegenerateKey({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  const [replaced, setReplaced] = useState<string | null>(null);
  const regenerate = useAction(
    async (_: undefined, options) => {
      const path = { id: agent.id };
      // The key is set here and not returned: the query cache keeps an action's result for a while.
      const { apiKey } = await call("POST", "/api/v1/automation/agents/{id}/regenerate-key", { path }, options);
      setReplaced(apiKey);
    },
    { refreshes: AGENT_READS },
  );
  return (
    <Modal
      opened
      onClose={onClose}
      size={replaced === null ? "md" : "xl"}
      title={replaced === null ? text.title(agent.name) : text.doneTitle(agent.name)}
      closeOnClickOutside={replaced === null}
      closeOnEscape={replaced === null}
    >
      {replaced === null ? (
        <Stack gap="sm">
          <Text size="sm">{text.effect}</Text>
          <Lost agent={agent} />
          {regenerate.error === null ? null : (
            <Alert color="red" role="alert" title={notDone(text.failed, regenerate.error)}>
              <ProblemText error={regenerate.error} />
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.keep}
            </Button>
            <Button color="red" loading={regenerate.isPending} onClick={() => regenerate.mutate(undefined)}>
              {text.regenerate}
            </Button>
          </Group>
        </Stack>
      ) : (
        <NewKey agentId={agent.id} apiKey={replaced} onClose={onClose} />
      )}
    </Modal>
  );
}

/** The key, the command that sets it, and whether the agent has called with it. */
function NewKey({ agentId, apiKey, onClose }: { agentId: string; apiKey: string; onClose: () => void }) {
  const source = useInstallSource();
  return (
    <Stack gap="md">
      <SecretOnce title={text.key} value={apiKey}>
        {text.keyOnce}
      </SecretOnce>
      <RekeySteps origin={source.data?.origin ?? location.origin} />
      <WaitForAgent agentId={agentId} rekey />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {text.keySaved}
        </Button>
      </Group>
    </Stack>
  );
}

/** The vault is encrypted with the old key, so every credential in it must be delivered again. */
function Lost({ agent }: { agent: AgentView }) {
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 200 } });
  if (!connections.isWhole && connections.error === null) return <LoadingState label={text.vault.loading} />;
  const lost = inItsVault(connections.items ?? [], agent.id);
  const { title, noneDelivered, unknown, connection } = text.vault;
  return (
    <Alert color="yellow" title={title}>
      <Text size="sm">{lost.length > 0 ? text.vault.lost : connections.isWhole ? noneDelivered : unknown}</Text>
      {lost.length === 0 ? null : (
        <List size="sm" mt={4}>
          {lost.map(({ id, name, type }) => (
            <List.Item key={id}>{connection(name, type)}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
