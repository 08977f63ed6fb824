import { Accordion, Code, Stack, Text } from "@mantine/core";
import { Copyable } from "../../../ui/copy.tsx";

/** The command that prints an agent's fingerprint, and why to compare it. */
export function WhereToCompare() {
  return (
    <Stack gap={4}>
      <Text size="sm">Run this on each agent&apos;s machine, and paste its fingerprint below:</Text>
      <Copyable
        label="Print the fingerprint"
        value="sudo /usr/local/bin/bellhop-agent fingerprint --env-file /etc/bellhop/agent.env"
      />
      <Text size="xs" c="dimmed">
        For an agent without a service, run <Code>bellhop-agent fingerprint</Code> as its user.
      </Text>
      <Accordion variant="default" chevronPosition="left">
        <Accordion.Item value="why">
          <Accordion.Control>Why?</Accordion.Control>
          <Accordion.Panel>
            <Text size="sm">
              This browser encrypts the secret for each agent with the agent&apos;s key, which it gets from the service.
              A different fingerprint may belong to an attacker, who could then read the secret. The agent uses the
              secret only for the target that you confirm.
            </Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}
