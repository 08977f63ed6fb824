import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";
import { Copy } from "../../ui/copy.tsx";
import { answerLabel } from "./answer-labels.ts";
import { Approval } from "./approval.tsx";

/** In a forEach many can wait at once: the rest come when these are answered. */
const SHOWN = 5;
/** Whoever was about to click sees by then that something else stands there. */
const MOVED_FOR_MS = 1_000;

interface ApprovalsProps {
  execution: ExecutionView;
  /** What a node is called. */
  titleOf: (nodeId: string) => string;
}

/** A comment; `isSent` while it is under way with an answer. */
interface Typed {
  text: string;
  isSent: boolean;
}

/** What somebody has to say yes or no to before the execution goes on. */
export function Approvals({ execution, titleOf }: ApprovalsProps) {
  const [comments, setComments] = useState<ReadonlyMap<string, Typed>>(new Map());
  const waiting = execution.status === "running" ? execution.nodeRuns.filter(isAsking) : [];
  const moved = useHasMoved(waiting.slice(0, SHOWN).map(({ id }) => id));
  const comment = (id: string, text: string, isSent = false) =>
    setComments((before) => {
      const after = new Map(before).set(id, { text, isSent });
      if (text === "") after.delete(id);
      return after;
    });
  const nameOf = ({ nodeId, iteration }: NodeRunView) =>
    `${titleOf(nodeId)}${iteration === undefined ? "" : `, iteration ${iteration.join(".")}`}`;
  const overtaken = execution.nodeRuns.filter(
    (run) => comments.get(run.id)?.isSent === false && !waiting.includes(run),
  );
  if (waiting.length === 0 && overtaken.length === 0) return null;
  return (
    <Stack gap="xs">
      {overtaken.map((run) => (
        <Alert key={run.id} color="yellow" role="alert" title={`${nameOf(run)}: ${answerLabel(run)}`}>
          <Text size="sm">This was not by you, and your comment was not sent:</Text>
          <Group gap="xs" justify="space-between" align="flex-start">
            <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
              {comments.get(run.id)?.text}
            </Text>
            <Group gap="xs">
              <Copy value={comments.get(run.id)?.text ?? ""} label="Copy the comment" />
              <Button size="compact-xs" variant="default" onClick={() => comment(run.id, "")}>
                Dismiss
              </Button>
            </Group>
          </Group>
        </Alert>
      ))}
      {waiting.slice(0, SHOWN).map((run) => (
        <Approval
          key={run.id}
          executionId={execution.id}
          run={run}
          title={nameOf(run)}
          comment={comments.get(run.id)?.text ?? ""}
          onComment={(text, isSent) => comment(run.id, text, isSent)}
          moved={moved}
        />
      ))}
      {waiting.length <= SHOWN ? null : (
        <Text size="sm" c="dimmed">
          {waiting.length - SHOWN} more wait for an answer.
        </Text>
      )}
    </Stack>
  );
}

/** Whether a node run waits for somebody's answer. */
export function isAsking({ status, waiting }: NodeRunView): boolean {
  return status === "waiting" && waiting?.code === "approval";
}

/** Whether one of the questions has just gone, so that those below it stand where others stood. */
function useHasMoved(ids: readonly string[]): boolean {
  const shown = ids.join(" ");
  const [settled, setSettled] = useState(shown);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), MOVED_FOR_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  // What only comes below the others moves nothing.
  return settled !== "" && !shown.startsWith(settled);
}
