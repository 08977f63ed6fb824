import { Button, Text } from "@mantine/core";
import { Suspense, lazy, useEffect, useState } from "react";
import type { Overview, WaitingApproval } from "../../../schema/contract/overview.ts";
import { common } from "../../strings/en/common.ts";
import { overview as text } from "../../strings/en/overview.ts";
import { TimeAgo } from "../../ui/time.tsx";
import type { Decision } from "./answer-dialog.tsx";
import classes from "./overview.module.css";
import { Row, nameOf, titleOf } from "./row.tsx";
import { ListSection } from "./section.tsx";

const loadDialog = () => import("./answer-dialog.tsx");
const AnswerDialog = lazy(loadDialog);

/** The waiting approvals, first those that this person may answer. A dialog confirms each answer. */
export function Approvals({ approvals }: { approvals: Overview["approvals"] }) {
  const [asked, setAsked] = useState<{ approval: WaitingApproval; decision: Decision } | null>(null);
  const mayAnswer = approvals.items.some((approval) => approval.mayAnswer);
  useEffect(() => {
    // Before a click: the dialog then opens at once, also without a network.
    if (mayAnswer) void loadDialog().catch(() => {});
  }, [mayAnswer]);
  return (
    <>
      <ListSection
        title={text.approvals.title}
        section={{ ...approvals, items: approvals.items.toSorted((a, b) => Number(b.mayAnswer) - Number(a.mayAnswer)) }}
        row={(approval) => (
          <ApprovalRow
            key={approval.nodeRunId}
            approval={approval}
            answer={(decision) => setAsked({ approval, decision })}
          />
        )}
      />
      <Suspense>{asked === null ? null : <AnswerDialog {...asked} close={() => setAsked(null)} />}</Suspense>
    </>
  );
}

function ApprovalRow({ approval, answer }: { approval: WaitingApproval; answer: (decision: Decision) => void }) {
  const title = titleOf(approval);
  return (
    <Row
      href={`/executions/${approval.executionId}`}
      name={nameOf(approval)}
      beside={
        <Text size="sm" c="dimmed">
          {title}
        </Text>
      }
      time={<TimeAgo at={approval.askedAt} />}
      detail={
        <>
          <Text size="sm" lineClamp={3} style={{ whiteSpace: "pre-wrap" }}>
            {approval.message}
          </Text>
          <Text size="sm" c="dimmed">
            {approval.refusal ??
              (approval.until === null ? "" : text.approvals.expires(<TimeAgo at={approval.until} />))}
          </Text>
        </>
      }
      actions={
        approval.mayAnswer ? (
          <div className={classes["answers"]}>
            <Button
              size="xs"
              color="teal"
              onClick={() => answer("approved")}
              aria-label={text.approvals.approved.label(title)}
            >
              {common.approve}
            </Button>
            <Button
              size="xs"
              color="red"
              variant="outline"
              onClick={() => answer("rejected")}
              aria-label={text.approvals.rejected.label(title)}
            >
              {common.reject}
            </Button>
          </div>
        ) : null
      }
    />
  );
}
