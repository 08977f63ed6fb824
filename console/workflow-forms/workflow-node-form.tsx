import { Anchor, Button, Group, Select, Stack, Text } from "@mantine/core";
import { Link, useRoute } from "wouter";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Node, WorkflowNode } from "../../schema/contract/workflow.ts";
import { WORKFLOW_MAX_DEPTH } from "../../schema/limits.ts";
import { messageOf } from "../api/problem.ts";
import { useAll } from "../api/use-all.ts";
import { common } from "../strings/en/common.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { WarningLine } from "../ui/warning-line.tsx";
import { FieldNotes } from "./notes.tsx";
import { WRITTEN } from "./param-value.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { RowsField } from "./rows-field.tsx";
import { isJsonObject } from "../../schema/contract/json-object.ts";

const text = workflowForms.workflow;

interface WorkflowNodeFormProps {
  node: WorkflowNode;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** The form of a sub-workflow: the workflow to start, and its variables. */
export function WorkflowNodeForm({ node, problems, readOnly, onChange }: WorkflowNodeFormProps) {
  const workflows = useAll("/api/v1/automation/workflows", { query: { limit: 200 } });
  // A new workflow has no id before it is saved, and cannot be chosen.
  const [, route] = useRoute("/workflows/:id/edit");
  const own = route?.id;
  const chosen = workflows.items?.find(({ id }) => id === node.workflowId);
  const data = (workflows.items ?? []).map(({ id, name, published }) => ({
    value: id,
    label: id === own ? text.itself(name) : published ? name : text.notPublished(name),
  }));
  if (node.workflowId !== "" && chosen === undefined) {
    data.unshift({
      value: node.workflowId,
      label: workflows.isPending ? common.loading : text.unknown,
    });
  }
  const inputs = chosen?.trigger.type === "manual" ? (chosen.trigger.inputs ?? {}) : {};
  const missing = Object.entries(inputs).filter(([name]) => !Object.hasOwn(node.variables ?? {}, name));
  const failed = workflows.error === null ? null : text.notLoaded(messageOf(workflows.error));
  return (
    <Stack gap="sm">
      <Select
        data-field="workflowId"
        label={common.workflow}
        description={text.hint}
        placeholder={text.choose}
        data={data}
        value={node.workflowId === "" ? null : node.workflowId}
        searchable
        required
        withAsterisk
        allowDeselect={false}
        readOnly={readOnly}
        limit={100}
        error={problemText(problems, "workflowId") ?? failed}
        nothingFoundMessage={text.noMatch}
        onChange={(next) => onChange({ ...node, workflowId: next ?? "" })}
      />
      {chosen === undefined ? null : chosen.id === own ? (
        <WarningLine message={text.runsItself(WORKFLOW_MAX_DEPTH)} />
      ) : (
        <Anchor component={Link} href={`/workflows/${chosen.id}`} size="xs" w="fit-content">
          {text.open(chosen.name)}
        </Anchor>
      )}
      <div data-field="variables">
        <RowsField
          label={text.variables}
          description={text.variablesHint}
          required={false}
          value={node.variables}
          written={WRITTEN.json}
          problems={problems}
          path="variables"
          readOnly={readOnly}
          canBeTemplate={false}
          onChange={(next) => onChange(put(node, { variables: isJsonObject(next) ? next : undefined }))}
        />
      </div>
      <FieldNotes path="variables" />
      {missing.length === 0 || readOnly ? null : (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {text.more}
          </Text>
          {missing.map(([name, input]) => (
            <Button
              key={name}
              size="compact-xs"
              variant="default"
              onClick={() => onChange({ ...node, variables: { ...node.variables, [name]: input.default ?? "" } })}
            >
              {input.required === true && input.default === undefined ? text.addRequired(name) : text.add(name)}
            </Button>
          ))}
        </Group>
      )}
    </Stack>
  );
}
