import { Alert, Button, Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconLock, IconUserCheck } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { NodeRunView } from "../../../schema/contract/execution.ts";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { CommentField } from "../../ui/comment-field.tsx";
import { toastSuccess, toastFailure } from "../../ui/toast.tsx";
import { executionKey } from "./use-execution.ts";
import { waitsFor } from "./waits-for.ts";
import { common } from "../../strings/en/common.ts";
import { executions as text } from "../../strings/en/executions.ts";
import classes from "./executions.module.css";

interface ApprovalProps {
  executionId: string;
  run: NodeRunView;
  title: string;
  comment: string;
  onComment: (comment: string, isSent?: boolean) => void;
  /** The approvals have just moved on the page: a click may be meant for another one. */
  moved: boolean;
}

/** One approval, with buttons to answer it for people with the permission. */
export function Approval({ executionId, run, title, comment, onComment, moved }: ApprovalProps) {
  const mayApprove = useCan("automation:approve");
  const queries = useQueryClient();
  const answer = useAction(
    (decision: "approved" | "rejected") =>
      call("POST", "/api/v1/automation/executions/{id}/approve", {
        path: { id: executionId },
        body: { nodeRunId: run.id, decision, ...(comment.trim() === "" ? {} : { comment: comment.trim() }) },
      }),
    {
      onDone: (execution, decision) => {
        onComment("");
        queries.setQueryData(executionKey(executionId), execution);
        toastSuccess(text.approvals.answered(title, decision));
      },
    },
  );
  const send = async (decision: "approved" | "rejected") => {
    onComment(comment, true);
    try {
      await answer.mutateAsync(decision);
    } catch (error) {
      onComment(comment);
      if (isRefusal(error)) return;
      toastFailure(text.approvals.notSaved, error);
      // Another person may have answered first: read the present state.
      await queries.invalidateQueries({ queryKey: executionKey(executionId) });
    }
  };
  return (
    <Card withBorder component="section" className={classes["question"] ?? ""} aria-label={text.approvals.label(title)}>
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap">
          <ThemeIcon variant="light" color="yellow" radius="sm">
            <IconUserCheck size={18} aria-hidden />
          </ThemeIcon>
          <Title order={2} size="h5">
            {text.approvals.needed(title)}
          </Title>
        </Group>
        <Text style={{ whiteSpace: "pre-wrap" }}>{questionOf(run)}</Text>
        {run.waiting === null ? null : (
          <Text size="xs" c="dimmed">
            {waitsFor(run.waiting)}
          </Text>
        )}
        {isRefusal(answer.error) ? (
          <Alert color="yellow" role="alert" icon={<IconLock aria-hidden />} title={text.approvals.refused}>
            {answer.error.message}
          </Alert>
        ) : mayApprove ? (
          <>
            <CommentField value={comment} onChange={onComment} />
            <Group gap="xs">
              <Button
                color="teal"
                loading={answer.isPending && answer.variables === "approved"}
                disabled={answer.isPending || moved}
                onClick={() => void send("approved")}
              >
                {common.approve}
              </Button>
              <Button
                color="red"
                variant="outline"
                loading={answer.isPending && answer.variables === "rejected"}
                disabled={answer.isPending || moved}
                onClick={() => void send("rejected")}
              >
                {common.reject}
              </Button>
            </Group>
          </>
        ) : (
          <Text size="sm">{text.approvals.notAllowed}</Text>
        )}
      </Stack>
    </Card>
  );
}

/** This approval's rule excludes the person who answered. Another attempt would fail, too. */
function isRefusal(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.status === 403;
}

function questionOf({ output }: NodeRunView): string {
  const message = typeof output === "object" && output !== null && "message" in output ? output["message"] : null;
  return typeof message === "string" && message !== "" ? message : text.approvals.noMessage;
}
