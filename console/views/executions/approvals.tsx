import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";
import { Copy } from "../../ui/copy.tsx";
import { actorLabel } from "../../ui/actor-label.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { Approval } from "./approval.tsx";
import { itemLabel } from "./places.ts";
import { executions as text } from "../../strings/en/executions.ts";

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
  const comment = (id: string, written: string, isSent = false) =>
    setComments((before) => {
      const after = new Map(before).set(id, { text: written, isSent });
      if (written === "") after.delete(id);
      return after;
    });
  const nameOf = ({ nodeId, iteration }: NodeRunView) => `${titleOf(nodeId)}${itemLabel(iteration)}`;
  const answeredMeanwhile = execution.nodeRuns.filter(
    (run) => comments.get(run.id)?.isSent === false && !waiting.includes(run),
  );
  if (waiting.length === 0 && answeredMeanwhile.length === 0) return null;
  return (
    <Stack gap="xs">
      {answeredMeanwhile.map((run) => (
        <Alert key={run.id} color="yellow" role="alert" title={text.approvals.ended(nameOf(run), answerLabel(run))}>
          <Text size="sm">{text.approvals.commentNotSent}</Text>
          <Group gap="xs" justify="space-between" align="flex-start">
            <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
              {comments.get(run.id)?.text}
            </Text>
            <Group gap="xs">
              <Copy value={comments.get(run.id)?.text ?? ""} label={text.approvals.copyComment} />
              <Button size="compact-xs" variant="default" onClick={() => comment(run.id, "")}>
                {text.approvals.dismiss}
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
          onComment={(written, isSent) => comment(run.id, written, isSent)}
          moved={moved}
        />
      ))}
      {waiting.length <= SHOWN ? null : (
        <Text size="sm" c="dimmed">
          {text.approvals.more(waiting.length - SHOWN)}
        </Text>
      )}
    </Stack>
  );
}

/** Whether a node run waits for an approval. */
export function isAsking({ status, waiting }: NodeRunView): boolean {
  return status === "waiting" && waiting?.code === "approval";
}

/** How an approval was answered and by whom, or how it ended without an answer. */
export function answerLabel({ output, status }: Pick<NodeRunView, "output" | "status">): string {
  const { decision, by } = objectOf(output);
  if (decision === "approved" || decision === "rejected") {
    return text.approvals.meanwhile(decision, typeof by === "string" ? actorLabel(by) : null);
  }
  return status === "timed_out" ? text.approvals.timedOut : text.approvals.over;
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
