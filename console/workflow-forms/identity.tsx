import { Group, TextInput } from "@mantine/core";
import { useState } from "react";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { nodeIdSchema } from "../../schema/contract/workflow.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";
import { common } from "../strings/en/common.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";

const text = workflowForms.identity;

interface IdentityProps {
  node: Node;
  draft: WorkflowInput;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** A node's name for people and its id for templates. */
export function Identity({ node, draft, problems, readOnly, onChange }: IdentityProps) {
  return (
    <Group align="flex-start" gap="sm" grow preventGrowOverflow={false}>
      <TextInput
        data-field="name"
        label={common.name}
        description={text.nameHint}
        placeholder={node.id}
        value={node.name ?? ""}
        readOnly={readOnly}
        error={problemText(problems, "name")}
        miw={160}
        onChange={(event) => {
          const name = event.currentTarget.value;
          onChange(put(node, { name: name === "" ? undefined : name }));
        }}
      />
      <IdField node={node} draft={draft} problems={problems} readOnly={readOnly} onChange={onChange} />
    </Group>
  );
}

/** Takes the id on blur or Enter: a half-typed id could be that of another node. */
function IdField({ node, draft, problems, readOnly, onChange }: IdentityProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isTyping, setTyping] = useState(false);
  const id = typed ?? node.id;
  const wrong = idProblem(id, node, draft);
  const take = () => {
    if (wrong !== null) return;
    setTyped(null);
    if (id !== node.id) onChange({ ...node, id });
  };
  return (
    <TextInput
      data-field="id"
      label={common.id}
      description={text.idHint}
      value={id}
      readOnly={readOnly}
      error={isTyping ? null : (wrong ?? problemText(problems, "id"))}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      miw={160}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onFocus={() => setTyping(true)}
      onBlur={() => {
        setTyping(false);
        take();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
    />
  );
}

function idProblem(id: string, node: Node, { definition }: WorkflowInput): string | null {
  if (id === node.id) return null;
  const parsed = nodeIdSchema.safeParse(id);
  if (!parsed.success) return text.wrongId(parsed.error.issues[0]?.message ?? text.anyReason);
  const isTaken = graphsOf(definition).some(({ graph }) => graph.nodes.some((other) => other.id === id));
  return isTaken ? text.taken : null;
}
