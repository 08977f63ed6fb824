import { Alert, Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useAll } from "../../api/use-all.ts";
import { notDone } from "../../ui/not-done.ts";
import { SecretOnce } from "../../ui/copy.tsx";
import { LoadingState, ProblemText } from "../../ui/states.tsx";
import { inItsVault } from "./connections-of.ts";
import { RekeySteps } from "./install-steps.tsx";
import { AGENT_READS } from "./refreshes.ts";
import { useInstallSource } from "./use-install-source.ts";
import { WaitForAgent } from "./wait-for-agent.tsx";
import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";

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
      title={replaced === null ? `Regenerate the key of ${agent.name}?` : `The new key of ${agent.name}`}
      closeOnClickOutside={replaced === null}
      closeOnEscape={replaced === null}
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
      <SecretOnce title="The agent's key" value={apiKey}>
        The key is shown only once. The command below prompts for it, so it stays out of your shell history and the
        process list. If you lose it, regenerate the key again.
      </SecretOnce>
      <RekeySteps origin={source.data?.origin ?? location.origin} />
      <WaitForAgent agentId={agentId} rekey />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          I&apos;ve saved the key
        </Button>
      </Group>
    </Stack>
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
