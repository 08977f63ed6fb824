import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { IconCopyPlus, IconLink, IconPlus, IconTrash } from "@tabler/icons-react";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { NodeIcon, nodeLook } from "../../../graph/node-look.tsx";
import { WithNotes } from "../../../workflow-forms/notes.tsx";
import { isError } from "../../../workflow-forms/problems.ts";
import { NodeForm } from "../../../workflow-forms/node-form.tsx";
import { TriggerForm } from "../../../workflow-forms/trigger-form.tsx";
import type { Node } from "../../../../schema/contract/workflow.ts";
import { useDesigner } from "../designer-context.ts";
import { containerOf, findNode, isWithin, nodesOf } from "../model/graph-edit.ts";
import { problemsOfNode, problemsOfTrigger } from "../../../workflow-forms/draft-problems.ts";
import { TRIGGER_ID } from "../model/trigger.ts";
import { onlyNode } from "../selection.ts";
import { EdgeList } from "./edge-list.tsx";
import { WorkflowPanel } from "./workflow-panel.tsx";
import { common } from "../../../strings/en/common.ts";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.step;

/** The form of the selection: a node, the trigger, several nodes, or the workflow itself. */
export function NodePanel() {
  const { enterField, leaveField } = useDesigner();
  return (
    <div
      role="presentation"
      data-form
      onFocus={({ target, relatedTarget }) => {
        const field = fieldOf(target);
        const isSame = field === fieldOf(relatedTarget) && isLive(target) === isLive(relatedTarget);
        if (field === null || isSame) return;
        if (isLive(target)) leaveField(field);
        else enterField(field);
      }}
      onBlur={({ target, relatedTarget }) => {
        const field = fieldOf(target);
        if (field !== null && field !== fieldOf(relatedTarget)) leaveField(field);
      }}
    >
      <SelectionForm />
    </div>
  );
}

/** The path of the field around a control. */
function fieldOf(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest("[data-field]")?.getAttribute("data-field") ?? null) : null;
}

/** Whether errors of the field around a control do not wait until the person leaves it. */
function isLive(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[data-live-errors]") !== null;
}

function SelectionForm() {
  const { draft, run, selection, shown, fix, readOnly } = useDesigner();
  const [first, ...others] = selection.nodes;
  const [form, setForm] = useState({ of: first, number: 0 });
  if (form.of !== first) setForm({ of: first, number: form.number + 1 });
  if (first === undefined) return <WorkflowPanel />;
  if (others.length > 0) return <ManyPanel count={selection.nodes.length} />;
  if (first === TRIGGER_ID) {
    const found = problemsOfTrigger(shown);
    return (
      <WithNotes found={found} onFix={readOnly ? null : fix}>
        <TriggerForm
          trigger={draft.trigger}
          draft={draft}
          problems={found.filter(isError)}
          readOnly={readOnly}
          onChange={(trigger) => run({ do: "trigger", trigger })}
        />
      </WithNotes>
    );
  }
  const node = findNode(draft.definition, first);
  if (node === undefined) return <WorkflowPanel />;
  // A new id keeps the form: the click that ends the typing reaches its field.
  return <OneNode key={form.number} node={node} onRename={(id) => setForm({ ...form, of: id })} />;
}

function OneNode({ node, onRename }: { node: Node; onRename: (id: string) => void }) {
  const { draft, run, select, say, shown, fix, readOnly, ...commands } = useDesigner();
  const { duplicateSelected, removeSelected, openConnect, openPalette } = commands;
  const found = problemsOfNode(shown, node.id);
  const change = (next: Node) => {
    if (next.id !== node.id && findNode(draft.definition, next.id) !== undefined) {
      say(text.idTaken(next.id));
      return;
    }
    run({ do: "change", id: node.id, node: next });
    if (next.id === node.id) return;
    select(onlyNode(next.id));
    onRename(next.id);
  };
  return (
    <Stack gap="md" data-panel-form>
      <Group gap="xs" wrap="nowrap">
        <NodeIcon node={node} />
        <div style={{ minWidth: 0 }}>
          <Text fw={600} truncate>
            {nodeTitle(node)}
          </Text>
          <Text size="xs" c="dimmed">
            {nodeLook(node).label}
          </Text>
        </div>
      </Group>
      <WithNotes found={found} onFix={readOnly ? null : fix}>
        <NodeForm node={node} draft={draft} problems={found.filter(isError)} readOnly={readOnly} onChange={change} />
      </WithNotes>
      <EdgeList node={node} />
      {readOnly ? null : (
        <>
          <ContainerSelect node={node} />
          <Group gap="xs">
            {node.type === "forEach" ? (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => openPalette({ into: node.id })}
              >
                {designer.menu.addInside}
              </Button>
            ) : null}
            <Button
              size="xs"
              variant="default"
              leftSection={<IconLink size={14} aria-hidden />}
              onClick={() => openConnect(node.id)}
            >
              {designer.menu.connect}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconCopyPlus size={14} aria-hidden />}
              onClick={duplicateSelected}
            >
              {designer.menu.duplicate}
            </Button>
            <Button
              size="xs"
              variant="light"
              color="red"
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={removeSelected}
            >
              {common.delete}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** Selects the forEach around a node, like dragging the node there. */
function ContainerSelect({ node }: { node: Node }) {
  const { draft, run } = useDesigner();
  const { definition } = draft;
  const containers = nodesOf(definition).filter(
    (other) => other.type === "forEach" && !(node.type === "forEach" && isWithin(definition, other.id, node.id)),
  );
  if (containers.length === 0) return null;
  return (
    <Select
      size="xs"
      label={text.inside}
      description={text.insideHint}
      allowDeselect={false}
      data={[
        { value: "@", label: text.workflowItself },
        ...containers.map((container) => ({ value: container.id, label: nodeTitle(container) })),
      ]}
      value={containerOf(definition, node.id) ?? "@"}
      onChange={(value) =>
        run({ do: "move", ids: [node.id], into: value === null || value === "@" ? null : value, places: {} })
      }
    />
  );
}

function ManyPanel({ count }: { count: number }) {
  const { duplicateSelected, removeSelected, copySelected, readOnly } = useDesigner();
  return (
    <Stack gap="sm">
      <Text fw={600}>{text.selected(count)}</Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={copySelected}>
          {common.copy}
        </Button>
        {readOnly ? null : (
          <>
            <Button size="xs" variant="default" onClick={duplicateSelected}>
              {designer.menu.duplicate}
            </Button>
            <Button size="xs" variant="light" color="red" onClick={removeSelected}>
              {common.delete}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
