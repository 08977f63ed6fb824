import "../api/zod-config.ts";
import { Code, List, Stack, Text } from "@mantine/core";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { nodeLabel } from "./field-label.ts";
import { Identity } from "./identity.tsx";
import { More } from "./more.tsx";
import { completionsOf } from "./node-completions.ts";
import { OfferedPaths, usePathsAt } from "./offered.tsx";
import { OtherProblems } from "./other-problems.tsx";
import { shownPaths } from "./shown-paths.ts";
import { TypeForm } from "./type-form.tsx";
import { useKnownVariables } from "./use-sample.ts";

export interface NodeFormProps {
  node: Node;
  draft: WorkflowInput;
  /** With paths relative to the node: `params.script`. */
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** The form of one node of a draft. Another node's form needs another key: fields keep half-typed text. */
export function NodeForm({ node, draft, problems, readOnly, onChange }: NodeFormProps) {
  const offered = usePathsAt(draft, node.id, useKnownVariables());
  const given = completionsOf(node);
  return (
    <OfferedPaths paths={offered}>
      <Stack gap="md">
        <OtherProblems problems={problems} shown={shownPaths(node)} labelOf={(path) => nodeLabel(node, path)} />
        <Identity node={node} draft={draft} problems={problems} readOnly={readOnly} onChange={onChange} />
        <TypeForm node={node} problems={problems} readOnly={readOnly} onChange={onChange} />
        <More label={workflowForms.outputs}>
          <List size="sm" spacing={4} listStyleType="none">
            {given.map(({ path, detail }) => (
              <List.Item key={path}>
                <Code>{`{{${path}}}`}</Code>{" "}
                <Text component="span" size="xs" c="dimmed">
                  {detail}
                </Text>
              </List.Item>
            ))}
          </List>
        </More>
      </Stack>
    </OfferedPaths>
  );
}
