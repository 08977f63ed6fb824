import { Alert, Code, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconCircleCheck, IconExclamationCircle, IconPlugConnectedX } from "@tabler/icons-react";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { useDesigner } from "../designer-context.ts";
import { findNode } from "../model/graph-edit.ts";
import { isOfTrigger } from "../model/problems.ts";
import type { DraftProblem } from "../model/problems.ts";
import { TRIGGER_ID } from "../model/trigger.ts";
import { NOTHING } from "../selection.ts";
import type { Checks } from "../use-checks.ts";
import classes from "./panel.module.css";

/** Everything that keeps the draft from being saved; each leads to where it is. */
export function ProblemList({ checks }: { checks: Checks }) {
  const { draft, problems, show, select } = useDesigner();
  const nameOf = ({ nodeId, path }: DraftProblem) => {
    if (isOfTrigger(path)) return "Trigger";
    const node = nodeId === null ? undefined : findNode(draft.definition, nodeId);
    return node === undefined ? "Workflow" : nodeTitle(node);
  };
  const goTo = ({ nodeId, path }: DraftProblem) => {
    if (isOfTrigger(path)) show(TRIGGER_ID);
    else if (nodeId !== null) show(nodeId);
    else select(NOTHING);
  };
  return (
    <Stack gap="xs">
      {checks.paused === null ? null : (
        <Alert color="yellow" variant="light" icon={<IconPlugConnectedX aria-hidden />} role="status">
          {checks.paused}
        </Alert>
      )}
      {problems.length === 0 && checks.paused === null ? (
        <Group gap="xs" wrap="nowrap">
          <IconCircleCheck size={20} aria-hidden color="var(--mantine-color-teal-text)" />
          <Text size="sm">{checks.checked === null ? "Checking…" : "Nothing stands against saving this."}</Text>
        </Group>
      ) : null}
      {problems.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          A draft with problems cannot be saved yet. This browser keeps it meanwhile.
        </Text>
      )}
      <div>
        {problems.map((problem) => (
          <UnstyledButton
            key={`${problem.path} ${problem.message}`}
            className={classes["problem"] ?? ""}
            onClick={() => goTo(problem)}
          >
            <Group gap={6} wrap="nowrap" align="flex-start">
              <IconExclamationCircle
                size={16}
                aria-hidden
                color="var(--mantine-color-red-text)"
                style={{ flex: "none", marginTop: 2 }}
              />
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                <b>{nameOf(problem)}</b>
                {problem.within === "" ? null : (
                  <>
                    {" "}
                    <Code>{problem.within}</Code>
                  </>
                )}{" "}
                {problem.message}
              </Text>
            </Group>
          </UnstyledButton>
        ))}
      </div>
    </Stack>
  );
}
