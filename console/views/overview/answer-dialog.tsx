import { Text } from "@mantine/core";
import { useState } from "react";
import type { WaitingApproval } from "../../../schema/contract/overview.ts";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { useAction } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { overview as text } from "../../strings/en/overview.ts";
import { CommentField } from "../../ui/comment-field.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { useReadAgain } from "../../ui/use-read-again.ts";
import { nameOf, titleOf } from "./row.tsx";

export type Decision = "approved" | "rejected";

const BUTTONS = {
  approved: { label: common.approve, color: "teal" },
  rejected: { label: common.reject, color: "red" },
} satisfies Record<Decision, object>;

interface AnswerDialogProps {
  approval: WaitingApproval;
  decision: Decision;
  close: () => void;
}

/** Confirms an answer: the whole question, and a comment. It stays open when the answer is refused. */
export default function AnswerDialog({ approval, decision, close }: AnswerDialogProps) {
  const [comment, setComment] = useState("");
  const readAgain = useReadAgain([OVERVIEW]);
  const { executionId, nodeRunId, message } = approval;
  const said = comment.trim();
  const answer = useAction(
    () =>
      call("POST", "/api/v1/automation/executions/{id}/approve", {
        path: { id: executionId },
        body: { nodeRunId, decision, ...(said === "" ? {} : { comment: said }) },
      }),
    {
      refreshes: [OVERVIEW, "/api/v1/automation/executions/{id}"],
      onDone: () => {
        toastSuccess(text.approvals[decision].done(titleOf(approval)));
        close();
      },
    },
  );
  return (
    <DialogForm
      title={text.approvals[decision].dialog(titleOf(approval))}
      submitLabel={BUTTONS[decision].label}
      submitColor={BUTTONS[decision].color}
      close={close}
      // Another person may have answered first.
      submit={() => answer.mutate(undefined, { onError: () => void readAgain() })}
      isPending={answer.isPending}
      error={answer.error}
    >
      <Text size="sm" c="dimmed">
        {nameOf(approval)}
      </Text>
      <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{message}</Text>
      <CommentField value={comment} onChange={setComment} autoFocus />
    </DialogForm>
  );
}
