import { Anchor, Button, List, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Definition, Graph, Node } from "../../../schema/contract/workflow.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { useNames } from "./use-names.ts";
import { forEachLabels, nodeLabel } from "./labels.ts";
import type { Names } from "./labels.ts";

/** Further nodes are shown after a click. */
const SHOWN = 25;

/** The nodes of a workflow in the order of its file: the work, connection and next nodes of each. */
export function NodeList({ definition }: { definition: Definition }) {
  const names = useNames([definition]);
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, definition.nodes.length - SHOWN);
  return (
    <>
      <Nodes graph={definition} names={names} limit={all ? Number.POSITIVE_INFINITY : SHOWN} />
      {hidden === 0 ? null : (
        <Button variant="default" size="xs" onClick={() => setAll(true)} style={{ alignSelf: "flex-start" }}>
          {text.showMoreOf(hidden)}
        </Button>
      )}
    </>
  );
}

function Nodes({ graph, names, limit }: { graph: Graph; names: Names; limit: number }) {
  return (
    <List size="sm" spacing={8} listStyleType="none">
      {graph.nodes.slice(0, limit).map((node) => (
        <List.Item key={node.id}>
          <Text component="span" size="sm" fw={600}>
            {node.name ?? node.id}
          </Text>{" "}
          <NodeLabel node={node} names={names} />
          {node.type === "forEach" ? <Small parts={forEachLabels(node)} /> : null}
          <Small parts={nextNodes(node, graph)} />
          {node.type === "forEach" ? (
            <div
              style={{
                borderInlineStart: "2px solid var(--mantine-color-default-border)",
                paddingInlineStart: 12,
                marginTop: 6,
              }}
            >
              <Nodes graph={node.body} names={names} limit={limit} />
            </div>
          ) : null}
        </List.Item>
      ))}
    </List>
  );
}

function NodeLabel({ node, names }: { node: Node; names: Names }) {
  const label = nodeLabel(node, names);
  if (node.type !== "workflow") {
    return (
      <Text component="span" size="sm">
        {label}
      </Text>
    );
  }
  return (
    <Anchor component={Link} href={`/workflows/${node.workflowId}`} size="sm">
      {label}
    </Anchor>
  );
}

function nextNodes(node: Node, graph: Graph): string[] {
  const titles = new Map(graph.nodes.map(({ id, name }) => [id, name ?? id]));
  return graph.edges.filter(({ from }) => from === node.id).map(({ to, on }) => `${on} → ${titles.get(to) ?? to}`);
}

function Small({ parts }: { parts: readonly string[] }) {
  if (parts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
      {parts.join(" · ")}
    </Text>
  );
}
