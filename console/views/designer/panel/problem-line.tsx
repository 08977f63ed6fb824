import { Group, Text, UnstyledButton } from "@mantine/core";
import { IconExclamationCircle } from "@tabler/icons-react";
import { useId } from "react";
import type { Fix } from "../../../../schema/contract/problem.ts";
import { WarningIcon } from "../../../ui/warning-line.tsx";
import type { DraftProblem } from "../../../workflow-forms/draft-problems.ts";
import { placeLabel } from "../../../workflow-forms/field-label.ts";
import { FixButton } from "../../../workflow-forms/notes.tsx";
import { isError, problemSentence } from "../../../workflow-forms/problems.ts";
import classes from "./panel.module.css";

interface ProblemLineProps {
  problem: DraftProblem;
  /** Opens the field with the problem. */
  onOpen: (problem: DraftProblem) => void;
  /** Null where nothing may be changed. */
  onFix: ((fix: Fix) => void) | null;
}

/** A problem or a warning of a draft in a list. A click opens its field. */
export function ProblemLine({ problem, onOpen, onFix }: ProblemLineProps) {
  const id = useId();
  return (
    <>
      <UnstyledButton className={classes["problem"] ?? ""} onClick={() => onOpen(problem)}>
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
            <b>{placeLabel(problem)}</b> {problemSentence(problem, problem.path)}
          </Text>
        </Group>
      </UnstyledButton>
      <div className={classes["fix"]}>
        <FixButton fix={problem.fix} onFix={onFix} describedBy={id} />
      </div>
    </>
  );
}
