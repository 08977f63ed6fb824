import { Text, ThemeIcon } from "@mantine/core";
import {
  IconAlertTriangle,
  IconBell,
  IconCalendarTime,
  IconExclamationCircle,
  IconHandClick,
  IconWebhook,
} from "@tabler/icons-react";
import { Handle, Position } from "@xyflow/react";
import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import type { Outcome, TriggerType } from "../../../../schema/contract/workflow.ts";
import { ENTRY } from "../../../graph/node-handles.tsx";
import { NodeCard } from "../../../graph/node-look.tsx";
import { OUTCOME_COLORS, outcomeAt } from "../../../graph/outcome-look.ts";
import { describeTrigger } from "../model/trigger.ts";
import type { CardNode, Found, TriggerNode } from "./elements.ts";
import { designer } from "../../../strings/en/designer.ts";
import classes from "./canvas.module.css";
import { common } from "../../../strings/en/common.ts";
import { dryRun } from "../../../strings/en/dry-run.ts";

const text = designer.canvas;

/** A node that can be moved, connected and selected. A new position alone does not render it again. */
export const Card = memo(
  DrawnCard,
  (before, after) =>
    before.data === after.data && before.selected === after.selected && before.isConnectable === after.isConnectable,
);

function DrawnCard({ data, selected, isConnectable }: NodeProps<CardNode>) {
  const { node, outcomes, problems, warnings, preview, drop } = data;
  return (
    <div
      className={classes["node"]}
      data-runs={preview?.runs}
      data-drop={drop || undefined}
      data-problems={problems.length > 0 || undefined}
    >
      <Handle
        id={ENTRY}
        type="target"
        position={Position.Top}
        isConnectable={isConnectable}
        className={classes["handle"] ?? ""}
      />
      <NodeCard
        node={node}
        selected={selected}
        {...(preview === null ? {} : { subtitle: text.preview(dryRun.runs[preview.runs], preview.outcome) })}
      >
        {node.type === "forEach" && node.body.nodes.length === 0 ? (
          <Text size="xs" className={classes["empty"] ?? ""}>
            {text.empty}
          </Text>
        ) : null}
      </NodeCard>
      <Counts problems={problems} warnings={warnings} />
      {outcomes.map((outcome) => (
        <OutcomeHandle key={outcome} outcome={outcome} outcomes={outcomes} isConnectable={isConnectable} />
      ))}
    </div>
  );
}

/** In the corner of the card, so that the title keeps its room. */
function Counts({ problems, warnings }: Found) {
  if (problems.length + warnings.length === 0) return null;
  return (
    <span className={classes["counts"]}>
      {warnings.length === 0 ? null : (
        <span className={classes["count"]} data-calm title={warnings.join("\n")}>
          <IconAlertTriangle size={14} aria-hidden />
          {warnings.length}
        </span>
      )}
      {problems.length === 0 ? null : (
        <span className={classes["count"]} title={problems.join("\n")}>
          <IconExclamationCircle size={14} aria-hidden />
          {problems.length}
        </span>
      )}
    </span>
  );
}

function OutcomeHandle(props: { outcome: Outcome; outcomes: readonly Outcome[]; isConnectable: boolean }) {
  const { outcome, outcomes, isConnectable } = props;
  const color = `var(--mantine-color-${OUTCOME_COLORS[outcome]}-text)`;
  return (
    <Handle
      id={outcome}
      type="source"
      position={Position.Bottom}
      isConnectable={isConnectable}
      className={classes["handle"] ?? ""}
      style={{ left: `${outcomeAt(outcomes, outcome)}%`, borderColor: color }}
    >
      <span className={classes["outcome"]} style={{ color }}>
        {outcome}
      </span>
    </Handle>
  );
}

const TRIGGER_ICONS = {
  webhook: IconWebhook,
  incident: IconBell,
  cron: IconCalendarTime,
  manual: IconHandClick,
  failure: IconAlertTriangle,
} satisfies Record<TriggerType, unknown>;

/** The trigger, above the nodes that it starts. */
export function TriggerCard({ data: { trigger, problems, warnings }, selected }: NodeProps<TriggerNode>) {
  const Icon = TRIGGER_ICONS[trigger.type];
  return (
    <div
      className={classes["trigger"]}
      data-selected={selected || undefined}
      data-problems={problems.length || undefined}
    >
      <ThemeIcon variant="filled" size={30} radius="xl">
        <Icon size={18} aria-hidden />
      </ThemeIcon>
      <div className={classes["text"]}>
        <Text size="sm" fw={600} truncate>
          {common.triggers[trigger.type]}
        </Text>
        <Text size="xs" truncate className={classes["subtitle"] ?? ""}>
          {describeTrigger(trigger)}
        </Text>
      </div>
      <Counts problems={problems} warnings={warnings} />
      <Handle
        id="out"
        type="source"
        position={Position.Bottom}
        isConnectable={false}
        className={classes["handle"] ?? ""}
      />
    </div>
  );
}
