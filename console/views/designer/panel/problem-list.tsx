import { Alert, Code, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconCircleCheck, IconExclamationCircle, IconPlugConnectedX } from "@tabler/icons-react";
import { useId } from "react";
import { WarningIcon } from "../../../ui/warning-line.tsx";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { FixButton } from "../../../workflow-forms/notes.tsx";
import { isError } from "../../../workflow-forms/problems.ts";
import { useDesigner } from "../designer-context.ts";
import { findNode } from "../model/graph-edit.ts";
import { isOfTrigger } from "../model/problems.ts";
import type { DraftProblem } from "../model/problems.ts";
import { TRIGGER_ID } from "../model/trigger.ts";
import { NOTHING } from "../selection.ts";
import type { Checks } from "../use-checks.ts";
import { common } from "../../../strings/en/common.ts";
import { designer } from "../../../strings/en/designer.ts";
import classes from "./panel.module.css";

const text = designer.problems;

/** The problems that block publishing, then the warnings. Each leads to its node. */
export function ProblemList({ checks }: { checks: Checks }) {
  const { problems } = useDesigner();
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
          <Row key={`${problem.path} ${problem.message}`} problem={problem} />
        ))}
      </div>
    </Stack>
  );
}

function Row({ problem }: { problem: DraftProblem }) {
  const { draft, fix, show, select, readOnly } = useDesigner();
  const id = useId();
  const { nodeId, path, within, message } = problem;
  const node = nodeId === null ? undefined : findNode(draft.definition, nodeId);
  const name = isOfTrigger(path) ? common.trigger : node === undefined ? common.workflow : nodeTitle(node);
  const goTo = () => {
    if (isOfTrigger(path)) show(TRIGGER_ID);
    else if (nodeId !== null) show(nodeId);
    else select(NOTHING);
  };
  return (
    <>
      <UnstyledButton className={classes["problem"] ?? ""} onClick={goTo}>
        <Group gap={6} wrap="nowrap" align="flex-start">
          {isError(problem) ? (
            <IconExclamationCircle
              size={16}
              aria-hidden
              color="var(--mantine-color-red-text)"
              style={{ flex: "none", marginTop: 2 }}
            />
          ) : (
            <WarningIcon />
          )}
          <Text id={id} size="sm" style={{ overflowWrap: "anywhere" }}>
            <b>{name}</b>
            {within === "" ? null : (
              <>
                {" "}
                <Code>{within}</Code>
              </>
            )}{" "}
            {message}
          </Text>
        </Group>
      </UnstyledButton>
      <div className={classes["fix"]}>
        <FixButton fix={problem.fix} onFix={readOnly ? null : fix} describedBy={id} />
      </div>
    </>
  );
}
