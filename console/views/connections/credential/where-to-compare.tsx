import { Code, List, Stack, Text } from "@mantine/core";

/** The checks before a delivery, and where an agent prints its fingerprint. */
export function WhereToCompare() {
  return (
    <Stack gap={4}>
      <Text size="sm">This browser encrypts the secret for each agent by the agent&apos;s key. Check two things:</Text>
      <List size="sm" spacing={4}>
        <List.Item>
          The fingerprint is the one that the agent prints on its own machine: <Code>sudo bellhop-agent doctor</Code>,
          in the line of the vault, or <Code>bellhop-agent fingerprint</Code> as the agent&apos;s user. A different one
          may belong to somebody else.
        </List.Item>
        <List.Item>The target is right. The agent uses the secret for this target and for no other.</List.Item>
      </List>
    </Stack>
  );
}
