import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { ApprovalNode, DelayNode, Node } from "../../schema/contract/workflow.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { ActionForm } from "./action-form.tsx";
import { ApproversField } from "./approvers-field.tsx";
import { ConditionBuilder } from "./condition-builder.tsx";
import { DurationField } from "./duration-field.tsx";
import { ForEachForm } from "./for-each-form.tsx";
import { FieldNotes } from "./notes.tsx";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { TemplateField } from "./template-field.tsx";
import { WorkflowNodeForm } from "./workflow-node-form.tsx";

const text = workflowForms;

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
          <Explanation>{text.condition}</Explanation>
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
      return <Explanation>{text.errorHandler}</Explanation>;
  }
}

function DelayForm({ node, problems, readOnly, onChange }: TypeFormProps<DelayNode>) {
  return (
    <div data-field="seconds">
      <DurationField
        label={text.delay.time}
        description={text.delay.timeHint}
        seconds={node.seconds === 0 ? undefined : node.seconds}
        error={problemText(problems, "seconds")}
        readOnly={readOnly}
        onChange={(seconds) => onChange({ ...node, seconds: seconds ?? Number.NaN })}
      />
    </div>
  );
}

function ApprovalForm({ node, problems, readOnly, onChange }: TypeFormProps<ApprovalNode>) {
  return (
    <Stack gap="sm">
      <div data-field="message">
        <TemplateField
          label={text.approval.question}
          description={text.approval.questionHint}
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
          label={text.approval.timeout}
          description={text.approval.timeoutHint}
          emptyLabel={text.approval.noLimit}
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
