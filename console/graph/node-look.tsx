import { Group, Text, ThemeIcon } from "@mantine/core";
import type { MantineColor } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowsSplit2,
  IconClockPause,
  IconExclamationCircle,
  IconRepeat,
  IconSitemap,
  IconUserCheck,
} from "@tabler/icons-react";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ACTIONS } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import type { NodeRunStatus } from "../../schema/contract/execution.ts";
import type { Node, NodeType } from "../../schema/contract/workflow.ts";
import { graph as text } from "../strings/en/graph.ts";
import { iconOfType } from "../ui/type-icon.tsx";
import { describeNode, nodeTitle } from "./describe-node.ts";
import { NodeStatus } from "./node-status.tsx";
import classes from "./node-look.module.css";

/** A node, or a node that can be added. */
export type NodeKind = { type: Exclude<NodeType, "action"> } | { type: "action"; action: ActionName };

interface NodeLook {
  icon: Icon;
  color: MantineColor;
  label: string;
}

const FLOW_LOOKS: Record<Exclude<NodeType, "action">, NodeLook> = {
  condition: { icon: IconArrowsSplit2, color: "grape", label: text.types.condition },
  forEach: { icon: IconRepeat, color: "indigo", label: text.types.forEach },
  delay: { icon: IconClockPause, color: "gray", label: text.types.delay },
  approval: { icon: IconUserCheck, color: "orange", label: text.types.approval },
  workflow: { icon: IconSitemap, color: "violet", label: text.types.workflow },
  errorHandler: { icon: IconAlertTriangle, color: "pink", label: text.types.errorHandler },
};

/** An action has the icon of its connection type. */
export function nodeLook(node: NodeKind): NodeLook {
  if (node.type !== "action") return FLOW_LOOKS[node.type];
  return { icon: iconOfType(ACTIONS[node.action].connectionType), color: "cyan", label: text.types.action };
}

export function NodeIcon({ node, size = 30 }: { node: NodeKind; size?: number }) {
  const { icon: Icon, color } = nodeLook(node);
  return (
    <ThemeIcon variant="light" color={color} size={size} radius="sm">
      <Icon size={size * 0.6} stroke={1.7} aria-hidden />
    </ThemeIcon>
  );
}

interface NodeCardProps {
  node: Node;
  status?: NodeRunStatus | undefined;
  selected?: boolean;
  /** The node's problems, one sentence each. */
  problems?: readonly string[];
  /** Replaces the node's description. */
  subtitle?: ReactNode;
  /** Counts or buttons below the text. There is room for two lines of text. */
  children?: ReactNode;
}

/** A node as a card with its title, description and status. It fills the box that the layout gave it. */
export function NodeCard({ node, status, selected = false, problems = [], subtitle, children }: NodeCardProps) {
  const container = node.type === "forEach";
  return (
    <div
      className={classes["card"]}
      data-selected={selected || undefined}
      data-status={status}
      data-container={container || undefined}
      data-problems={problems.length > 0 || undefined}
    >
      <Group className={classes["head"] ?? ""} gap="xs" wrap="nowrap" align="center">
        <NodeIcon node={node} />
        <div className={classes["text"]}>
          <Text size="sm" fw={600} truncate title={nodeTitle(node)}>
            {nodeTitle(node)}
          </Text>
          <div className={classes["second"]}>
            <Text size="xs" className={classes["subtitle"] ?? ""} truncate component="div">
              {subtitle ?? describeNode(node)}
            </Text>
            {problems.length === 0 ? null : (
              <span className={classes["problems"]} title={problems.join("\n")}>
                <IconExclamationCircle size={16} aria-hidden />
                {text.problems(problems.length)}
              </span>
            )}
            {status === undefined ? null : <NodeStatus status={status} />}
          </div>
        </div>
      </Group>
      {children}
    </div>
  );
}
