import { ActionIcon, Badge, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { Edge, Node } from "../../../../schema/contract/workflow.ts";
import { OUTCOME_COLORS } from "../../../graph/outcome-look.ts";
import { edgePart } from "../../../workflow-forms/open-field.ts";
import { useDesigner } from "../designer-context.ts";
import { containerOf, graphIn, titleIn } from "../model/graph-edit.ts";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.step;

/** The edges of a node as a list: leaving, then entering. Each can be followed and removed. */
export function EdgeList({ node }: { node: Node }) {
  const { draft } = useDesigner();
  const graph = graphIn(draft.definition, containerOf(draft.definition, node.id) ?? null);
  const leaving = graph?.edges.filter(({ from }) => from === node.id) ?? [];
  const entering = graph?.edges.filter(({ to }) => to === node.id) ?? [];
  return (
    <Stack gap={4}>
      {leaving.length === 0 ? null : (
        <Text size="sm" fw={500}>
          {text.next}
        </Text>
      )}
      {leaving.map((edge) => (
        <Row key={`${edge.on} ${edge.to}`} edge={edge} other={edge.to} />
      ))}
      {entering.length === 0 ? null : (
        <Text size="sm" fw={500}>
          {text.previous}
        </Text>
      )}
      {entering.map((edge) => (
        <Row key={`${edge.on} ${edge.from}`} edge={edge} other={edge.from} />
      ))}
    </Stack>
  );
}

function Row({ edge, other }: { edge: Edge; other: string }) {
  const { draft, run, show, readOnly } = useDesigner();
  const [from, to] = [titleIn(draft.definition, edge.from), titleIn(draft.definition, edge.to)];
  return (
    <Group gap="xs" wrap="nowrap" data-part={edgePart(edge)}>
      <Badge variant="light" radius="sm" tt="none" color={OUTCOME_COLORS[edge.on]} style={{ flex: "none" }}>
        {edge.on}
      </Badge>
      <UnstyledButton onClick={() => show(other)} style={{ minWidth: 0, flex: 1 }}>
        <Text size="sm" truncate td="underline">
          {other === edge.from ? from : to}
        </Text>
      </UnstyledButton>
      {readOnly ? null : (
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={text.removeEdge(designer.canvas.edge(from, edge.on, to))}
          onClick={() => run({ do: "remove", ids: [], edges: [edge] })}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}
