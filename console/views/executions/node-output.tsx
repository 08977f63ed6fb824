import { Badge, Group, Stack, Text } from "@mantine/core";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { outputParts, sizeLabel } from "./output-parts.ts";

/** A node's output. */
export function NodeOutput({ output, isRunning }: { output: JsonValue | null; isRunning: boolean }) {
  if (output === null) {
    return (
      <Text size="sm" c="dimmed">
        {isRunning ? "Output appears when this step finishes." : "No output."}
      </Text>
    );
  }
  const { exitCode, truncated, parts } = outputParts(output);
  return (
    <Stack gap="xs">
      <Group gap="xs" display={exitCode === null && !truncated ? "none" : undefined}>
        {exitCode === null ? null : (
          <Badge variant="light" tt="none" radius="sm" color={exitCode === 0 ? "gray" : "red"}>
            exit code {exitCode}
          </Badge>
        )}
        {truncated ? (
          <Badge variant="light" tt="none" radius="sm" color="yellow">
            Truncated: the output exceeded the limit
          </Badge>
        ) : null}
      </Group>
      {parts.length === 0 ? (
        <Text size="sm" c="dimmed">
          No output.
        </Text>
      ) : null}
      {parts.map(({ title, text, fromEnd }) => (
        <Fold key={title} open title={`${title} (${sizeLabel(text)})`}>
          <LongText label={title} text={text} fromEnd={fromEnd} />
        </Fold>
      ))}
    </Stack>
  );
}
