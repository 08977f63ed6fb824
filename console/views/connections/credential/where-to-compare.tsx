import { Code, List, Stack, Text } from "@mantine/core";

/** The checks before a delivery, and where an agent prints its fingerprint. */
export function WhereToCompare() {
  return (
    <Stack gap={4}>
      <Text size="sm">
        This browser encrypts the secret for each agent with the agent&apos;s key. Check two things:
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>
          The fingerprint matches the one that the agent prints on its own machine, with{" "}
          <Code>sudo bellhop-agent doctor</Code> in the line of the vault, or with{" "}
          <Code>bellhop-agent fingerprint</Code> as the agent&apos;s user. A different fingerprint may belong to an
          attacker.
        </List.Item>
        <List.Item>The target is correct. The agent uses the secret only for this target.</List.Item>
      </List>
    </Stack>
  );
}
