import { Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Outcome } from "../../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { useDesigner } from "../designer-context.ts";
import { outcomesOf, whyNotConnect } from "../model/connect.ts";
import { containerOf, findNode, graphIn, titleIn } from "../model/graph-edit.ts";
import { common } from "../../../strings/en/common.ts";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.connect;

/** Draws an edge without a mouse: asks for the outcome and the target. */
export function ConnectDialog({ from, onClose }: { from: string | null; onClose: () => void }) {
  const { definition } = useDesigner().draft;
  return (
    <Modal
      opened={from !== null}
      onClose={onClose}
      title={from === null ? text.title : text.titleOf(titleIn(definition, from))}
    >
      {from === null ? null : <Choice from={from} onClose={onClose} />}
    </Modal>
  );
}

function Choice({ from, onClose }: { from: string; onClose: () => void }) {
  const { draft, run, bring } = useDesigner();
  const { definition } = draft;
  const node = findNode(definition, from);
  const graph = graphIn(definition, containerOf(definition, from) ?? null);
  const outcomes: readonly Outcome[] = node === undefined ? [] : outcomesOf(node, graph?.edges);
  // An outcome without an edge is the most likely choice.
  const isFree = (outcome: Outcome) => graph?.edges.every((edge) => edge.from !== from || edge.on !== outcome) ?? true;
  const [on, setOn] = useState<Outcome | null>(outcomes.find(isFree) ?? outcomes[0] ?? null);
  const [to, setTo] = useState<string | null>(null);
  const fits = (id: string) => on !== null && whyNotConnect(definition, { from, on, to: id }) === null;
  const others = graph?.nodes.filter(({ id }) => id === to || fits(id)) ?? [];
  const why = on === null || to === null ? null : whyNotConnect(definition, { from, on, to });
  const connect = () => {
    if (on === null || to === null || why !== null) return;
    run({ do: "connect", edge: { from, on, to } });
    onClose();
    bring(to);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        connect();
      }}
    >
      <Stack>
        <Select
          label={text.endsWith}
          data={[...outcomes]}
          value={on}
          allowDeselect={false}
          onChange={(value) => setOn(outcomes.find((outcome) => outcome === value) ?? null)}
        />
        <Select
          label={text.next}
          placeholder={others.length === 0 ? text.none : text.choose}
          searchable
          data-autofocus
          data={others.map((other) => ({
            value: other.id,
            label: other.name === undefined ? other.id : text.step(nodeTitle(other), other.id),
          }))}
          value={to}
          error={why}
          onChange={setTo}
        />
        <Text size="sm" c="dimmed">
          {text.notListed}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" disabled={on === null || to === null || why !== null}>
            {text.title}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
