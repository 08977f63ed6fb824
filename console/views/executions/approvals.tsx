import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";
import { Copy } from "../../ui/copy.tsx";
import { answerLabel } from "./answer-labels.ts";
import { Approval } from "./approval.tsx";

/** Many approvals can wait in a forEach. Others appear after these are answered. */
const SHOWN = 5;
/** Enough time to see that another approval has moved under the pointer. */
const MOVED_FOR_MS = 1_000;

interface ApprovalsProps {
  execution: ExecutionView;
  /** A node's name. */
  titleOf: (nodeId: string) => string;
}

/** A typed comment. `isSent`: the request with the answer is in progress. */
interface Comment {
  text: string;
  isSent: boolean;
}

/** The approvals that the execution waits for. */
export function Approvals({ execution, titleOf }: ApprovalsProps) {
  const [comments, setComments] = useState<ReadonlyMap<string, Comment>>(new Map());
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
  const answeredMeanwhile = execution.nodeRuns.filter(
    (run) => comments.get(run.id)?.isSent === false && !waiting.includes(run),
  );
  if (waiting.length === 0 && answeredMeanwhile.length === 0) return null;
  return (
    <Stack gap="xs">
      {answeredMeanwhile.map((run) => (
        <Alert key={run.id} color="yellow" role="alert" title={`${nameOf(run)}: ${answerLabel(run)}`}>
          <Text size="sm">Your comment was not sent:</Text>
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
          {waiting.length - SHOWN} more approvals are waiting.
        </Text>
      )}
    </Stack>
  );
}

/** Whether a node run waits for an approval. */
export function isAsking({ status, waiting }: NodeRunView): boolean {
  return status === "waiting" && waiting?.code === "approval";
}

/** Whether an approval has just disappeared, so that those below it have moved up. */
function useHasMoved(ids: readonly string[]): boolean {
  const shown = ids.join(" ");
  const [settled, setSettled] = useState(shown);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), MOVED_FOR_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  // A new approval below the others moves none of them.
  return settled !== "" && !shown.startsWith(settled);
}
