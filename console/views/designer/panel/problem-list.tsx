import { Alert, Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconPlugConnectedX } from "@tabler/icons-react";
import { isError } from "../../../workflow-forms/problems.ts";
import { useDesigner } from "../designer-context.ts";
import type { Checks } from "../use-checks.ts";
import { ProblemLine } from "./problem-line.tsx";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.problems;

/** The problems that block publishing, then the warnings. Each leads to its field. */
export function ProblemList({ checks }: { checks: Checks }) {
  const { problems, openProblem, fix, readOnly } = useDesigner();
  const isComplete = !problems.some(isError);
  return (
    <Stack gap="xs">
      {checks.paused === null ? null : (
        <Alert color="yellow" variant="light" icon={<IconPlugConnectedX aria-hidden />} role="status">
          {checks.paused}
        </Alert>
      )}
      {isComplete && checks.paused === null ? (
        <Group gap="xs" wrap="nowrap">
          <IconCircleCheck size={20} aria-hidden color="var(--mantine-color-teal-text)" />
          <Text size="sm">{checks.checked === null ? text.checking : text.none}</Text>
        </Group>
      ) : null}
      {isComplete ? null : (
        <Text size="sm" c="dimmed">
          {text.saved}
        </Text>
      )}
      <div>
        {problems.map((problem) => (
          <ProblemLine
            key={`${problem.path} ${problem.message}`}
            problem={problem}
            onOpen={openProblem}
            onFix={readOnly ? null : fix}
          />
        ))}
      </div>
    </Stack>
  );
}
