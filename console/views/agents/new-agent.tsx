import { Button, Group, Stack } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { SecretOnce } from "../../ui/copy.tsx";
import { InstallSteps } from "./install-steps.tsx";
import { WaitForAgent } from "./wait-for-agent.tsx";

interface NewAgentProps {
  agent: AgentView;
  apiKey: string;
  /** The agent had a key before: the commands replace the key of the installed agent. */
  rekey?: boolean;
  onClose: () => void;
}

/** The key, the commands that use it, and whether the agent has registered. */
export function NewAgent({ agent, apiKey, rekey = false, onClose }: NewAgentProps) {
  return (
    <Stack gap="md">
      <SecretOnce title="The agent's key" value={apiKey}>
        The key is shown only once. The commands below prompt for it, so it stays out of your shell history and the
        process list. If you lose it, regenerate the key on the agent&apos;s page.
      </SecretOnce>
      <InstallSteps rekey={rekey} />
      <WaitForAgent agentId={agent.id} rekey={rekey} />
      <Group justify="flex-end">
        <Button variant="default" component={Link} href={`/agents/${agent.id}`} onClick={onClose}>
          I&apos;ve saved the key
        </Button>
      </Group>
    </Stack>
  );
}
