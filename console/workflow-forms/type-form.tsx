import { NumberInput, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { ApprovalNode, DelayNode, ForEachNode, Node } from "../../schema/contract/workflow.ts";
import { FOREACH_CONCURRENCY_DEFAULT, FOREACH_CONCURRENCY_MAX } from "../../schema/limits.ts";
import { ActionForm } from "./action-form.tsx";
import { ApproversField } from "./approvers-field.tsx";
import { canBeList } from "./completions.ts";
import { ConditionBuilder } from "./condition-builder.tsx";
import { DurationField } from "./duration-field.tsx";
import { FieldNotes } from "./notes.tsx";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { TemplateField } from "./template-field.tsx";
import { WorkflowNodeForm } from "./workflow-node-form.tsx";

interface TypeFormProps<N extends Node> {
  node: N;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** The fields of a node that depend on its type. */
export function TypeForm({ node, ...shared }: TypeFormProps<Node>) {
  const { problems, readOnly, onChange } = shared;
  switch (node.type) {
    case "action":
      return <ActionForm node={node} {...shared} />;
    case "condition":
      return (
        <Stack gap="xs">
          <Explanation>Continues with true if the conditions match, otherwise with false.</Explanation>
          <ConditionBuilder
            group={node.when}
            path="when"
            problems={problems}
            ofIncident={false}
            readOnly={readOnly}
            onChange={(when) => onChange({ ...node, when })}
          />
          <FieldNotes path="when" />
        </Stack>
      );
    case "forEach":
      return <ForEachForm node={node} {...shared} />;
    case "delay":
      return <DelayForm node={node} {...shared} />;
    case "approval":
      return <ApprovalForm node={node} {...shared} />;
    case "workflow":
      return <WorkflowNodeForm node={node} {...shared} />;
    case "errorHandler":
      return (
        <Explanation>
          With an edge from a step’s failure, it handles that failure. Without any edge to it, it runs once: after the
          first failure that nothing else handles. It does nothing itself and ends with success. Steps after it can use
          the error, such as {"{{error.message}}"} and {"{{error.nodeId}}"}.
        </Explanation>
      );
  }
}

function ForEachForm({ node, problems, readOnly, onChange }: TypeFormProps<ForEachNode>) {
  return (
    <Stack gap="sm">
      <div data-field="items">
        <TemplateField
          label="Items"
          description="A template that gives a list, or a list as JSON. The steps inside run once for each item."
          required
          value={node.items}
          hint="such as {{webhook.hosts}}"
          only={canBeList}
          error={problemText(problems, "items")}
          readOnly={readOnly}
          onChange={(items) => onChange({ ...node, items })}
        />
      </div>
      <FieldNotes path="items" />
      <div data-field="concurrency">
        <NumberInput
          label="At the same time"
          description={`The number of items that run at once, at most ${FOREACH_CONCURRENCY_MAX}. 1 runs them in order.`}
          value={node.concurrency ?? ""}
          placeholder={String(FOREACH_CONCURRENCY_DEFAULT)}
          allowDecimal={false}
          allowNegative={false}
          readOnly={readOnly}
          error={problemText(problems, "concurrency")}
          onChange={(next) => onChange(put(node, { concurrency: typeof next === "number" ? next : undefined }))}
        />
      </div>
      <Explanation>
        Steps inside can use {"{{foreach.item}}"}, {"{{foreach.index}}"} and {"{{foreach.total}}"}.
      </Explanation>
    </Stack>
  );
}

function DelayForm({ node, problems, readOnly, onChange }: TypeFormProps<DelayNode>) {
  return (
    <div data-field="seconds">
      <DurationField
        label="Wait"
        description="The run continues automatically after this time, at most a year."
        required
        seconds={node.seconds === 0 ? undefined : node.seconds}
        error={problemText(problems, "seconds")}
        readOnly={readOnly}
        onChange={(seconds) => onChange({ ...node, seconds: seconds ?? 0 })}
      />
    </div>
  );
}

function ApprovalForm({ node, problems, readOnly, onChange }: TypeFormProps<ApprovalNode>) {
  return (
    <Stack gap="sm">
      <div data-field="message">
        <TemplateField
          label="Question"
          description="Shown to the person who approves. Say what happens next, and to what."
          required
          multiline
          value={node.message}
          error={problemText(problems, "message")}
          readOnly={readOnly}
          onChange={(message) => onChange({ ...node, message })}
        />
      </div>
      <FieldNotes path="message" />
      <div data-field="timeoutSeconds">
        <DurationField
          label="Longest wait for an answer"
          description="Rejected automatically after this time. Leave empty to wait as long as the run lasts."
          emptyLabel="No limit"
          seconds={node.timeoutSeconds}
          error={problemText(problems, "timeoutSeconds")}
          readOnly={readOnly}
          onChange={(timeoutSeconds) => onChange(put(node, { timeoutSeconds }))}
        />
      </div>
      <ApproversField node={node} problems={problems} readOnly={readOnly} onChange={onChange} />
    </Stack>
  );
}

function Explanation({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
