import { Badge, Group, Stack, Text } from "@mantine/core";
import type { NodeRunView } from "../../../schema/contract/execution.ts";
import { executionOutput as texts } from "../../strings/en/execution-output.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { outputParts, sizeLabel } from "./output-parts.ts";
import { isOver, isReportDue } from "./run-status.ts";

/** The output of a node run. */
export function NodeOutput({ run }: { run: NodeRunView }) {
  if (run.output === null) {
    return (
      <Text size="sm" c="dimmed">
        {isReportDue(run) ? texts.reportDue : isOver(run.status) ? texts.none : texts.later}
      </Text>
    );
  }
  const { exitCode, truncated, droppedBytes, parts } = outputParts(run.output);
  const note = !truncated ? null : droppedBytes === null ? texts.truncated : texts.dropped(droppedBytes);
  return (
    <Stack gap="xs">
      <Group gap="xs" display={exitCode === null && note === null ? "none" : undefined}>
        {exitCode === null ? null : (
          <Badge variant="light" tt="none" radius="sm" color={exitCode === 0 ? "gray" : "red"}>
            {texts.exitCode(exitCode)}
          </Badge>
        )}
        {note === null ? null : (
          <Badge variant="light" tt="none" radius="sm" color="yellow">
            {note}
          </Badge>
        )}
      </Group>
      {parts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : null}
      {parts.map(({ title, text, isJson }) => (
        <Fold key={title} open title={`${title} (${sizeLabel(text)})`}>
          <LongText
            label={title}
            text={text}
            fromEnd={!isJson}
            isJson={isJson}
            note={note}
            place={{ run, part: title }}
          />
        </Fold>
      ))}
    </Stack>
  );
}
