import type { FieldError } from "../../schema/contract/problem.ts";
import { targetListOf } from "../../schema/contract/target-list.ts";
import type { ActionNode, Node } from "../../schema/contract/workflow.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import { useConnections } from "./connection-select.tsx";
import { FieldNotes } from "./notes.tsx";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { TemplateField } from "./template-field.tsx";

const text = actionForms.target;

interface Props {
  node: ActionNode;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** The host of a step whose connection leads to several. It stays while a step that has one changes its connection. */
export function TargetField({ node, problems, readOnly, onChange }: Props) {
  const { items } = useConnections();
  const connection = items?.find(({ id }) => id === node.connectionId);
  const list = connection === undefined ? null : targetListOf(connection.config);
  if (list === null && node.target === undefined) return null;
  return (
    <div data-field="target">
      <TemplateField
        label={text.label}
        description={list === null ? null : text.hint(list.targets)}
        required={list !== null}
        value={node.target ?? ""}
        error={problemText(problems, "target")}
        hint={text.example}
        readOnly={readOnly}
        onChange={(target) => onChange(put(node, { target: target === "" ? undefined : target }))}
      />
      <FieldNotes id={`target-of-${node.id}`} path="target" />
    </div>
  );
}
