import { Code, Text } from "@mantine/core";

/** Where an agent prints its own fingerprint. */
export function WhereToCompare() {
  return (
    <Text size="sm" component="div">
      The secret is encrypted in this browser for each agent by its key. Compare each fingerprint with what the agent
      itself prints, on its own machine: <Code>sudo bellhop-agent doctor</Code> shows it in the line of the vault; run
      as the agent&apos;s own user, <Code>bellhop-agent fingerprint</Code> prints it alone; and it stands in the
      agent&apos;s log at its start. That shows that nobody is in between. The agent uses the secret for the target
      below and for nothing else, so check that, too.
    </Text>
  );
}
