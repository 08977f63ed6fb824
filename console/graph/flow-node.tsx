import { Group } from "@mantine/core";
import type { NodeProps } from "@xyflow/react";
import { nodeRunStatuses } from "./node-statuses.ts";
import type { DrawnNode } from "./flow-elements.ts";
import { NodeHandles } from "./node-handles.tsx";
import { NodeCard } from "./node-look.tsx";
import { NodeStatus } from "./node-status.tsx";

/** A node of the read-only graph. */
export function FlowNode({ data: { node, state, shown }, selected }: NodeProps<DrawnNode>) {
  const counts = state?.counts ?? {};
  return (
    <>
      <NodeHandles type={node.type} shown={shown} taken={state?.outcomes} />
      <NodeCard node={node} status={state?.status} selected={selected} subtitle={state?.note}>
        {state?.counts === undefined ? null : (
          <Group gap="xs" wrap="nowrap">
            {nodeRunStatuses.map((status) =>
              counts[status] === undefined ? null : <NodeStatus key={status} status={status} count={counts[status]} />,
            )}
          </Group>
        )}
      </NodeCard>
    </>
  );
}
