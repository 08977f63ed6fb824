import { ActionIcon, Group, Paper, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconZoomIn, IconZoomOut, IconZoomReset } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import type { ExecutionView } from "../../../../schema/contract/execution.ts";
import type { Definition } from "../../../../schema/contract/workflow.ts";
import { executionTimeline as text } from "../../../strings/en/execution-timeline.ts";
import { tickLabel } from "../../../strings/time.ts";
import { useIsNarrow } from "../../../ui/list-table.tsx";
import { useNow } from "../../../ui/time.tsx";
import { useRowsInView } from "../../../ui/use-rows-in-view.ts";
import type { IterationPath } from "../iterations.ts";
import { keysAround, timelineOf } from "./rows.ts";
import type { IsOpen } from "./rows.ts";
import { percentAt, ticksOf } from "./time-window.ts";
import { Row } from "./timeline-row.tsx";
import { useTimeWindow } from "./use-time-window.ts";
import classes from "./timeline.module.css";

/** As in timeline.module.css. */
const ROW_PX = 30;
const NARROW_ROW_PX = 48;
/** A forEach with more items is shown as one row at first. */
const FEW_ITEMS = 10;
/** A large timeline grows in larger steps, so that it keeps the browser less busy. */
const MS_PER_RUN = 2;
/** A label further to the right would be cut. */
const LABEL_MAX_PERCENT = 90;

interface TimelineTabProps {
  execution: ExecutionView;
  definition: Definition;
  /** The step that a person chose, if any. */
  nodeId: string | null;
  path: IterationPath;
  /** The node run in the details. */
  shownRunId: string | null;
  onSelect: (nodeId: string, path: IterationPath) => void;
}

/** The steps of an execution as bars over time. */
export default function TimelineTab({ execution, definition, nodeId, path, shownRunId, onSelect }: TimelineTabProps) {
  const isRunning = execution.status === "running";
  const now = useNow(isRunning ? Math.max(1_000, execution.nodeRuns.length * MS_PER_RUN) : null);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const around = useMemo(
    () => (nodeId === null ? new Set<string>() : keysAround(definition, nodeId, path)),
    [definition, nodeId, path],
  );
  const timeline = useMemo(() => {
    const isOpen: IsOpen = ({ key, isItem, inside }) =>
      toggled.get(key) ?? (around.has(key) || (!isItem && inside <= FEW_ITEMS));
    return timelineOf(execution, definition, now, isOpen);
  }, [execution, definition, now, toggled, around]);

  const frame = useRef<HTMLElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const view = useTimeWindow(timeline, frame, track);
  const isNarrow = useIsNarrow();
  const { box, start, shown, above, below } = useRowsInView<(typeof timeline.rows)[number], HTMLOListElement>(
    timeline.rows,
    isNarrow ? NARROW_ROW_PX : ROW_PX,
  );
  const ticks = ticksOf(view.shown, timeline, width);
  const hasEarlier = execution.nodeRuns.some(({ attempt }) => attempt > 1);
  return (
    <Paper
      ref={frame}
      component="section"
      withBorder
      aria-label={text.label}
      onKeyDown={(event: KeyboardEvent<HTMLElement>) => {
        if (!moveFocus(event)) view.onKeyDown(event);
      }}
    >
      <Group justify="space-between" gap="xs" p="xs" wrap="nowrap" align="flex-start">
        <Legend hasEarlier={hasEarlier} />
        <Group gap={4} wrap="nowrap">
          <ActionIcon variant="default" aria-label={text.zoomIn} title={text.zoomIn} onClick={view.zoomIn}>
            <IconZoomIn size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label={text.zoomOut}
            title={text.zoomOut}
            disabled={view.isWhole}
            onClick={view.zoomOut}
          >
            <IconZoomOut size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label={text.showAll}
            title={text.showAll}
            disabled={view.isWhole}
            onClick={view.showAll}
          >
            <IconZoomReset size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      <div className={classes["axis"]} aria-hidden>
        <div ref={track} className={classes["ticks"]}>
          <div ref={sized} className={classes["measure"]} />
          {ticks.at.map((at) => (
            <span key={at} style={{ left: `${percentAt(view.shown, at)}%` }}>
              {percentAt(view.shown, at) > LABEL_MAX_PERCENT ? null : tickLabel(at - timeline.from, ticks.stepMs)}
            </span>
          ))}
        </div>
      </div>
      <div className={classes["chart"]} {...view.pointer}>
        <div className={classes["lines"]} aria-hidden>
          <div>
            {ticks.at.map((at) => (
              <i key={at} style={{ left: `${percentAt(view.shown, at)}%` }} />
            ))}
          </div>
        </div>
        <ol
          ref={box}
          className={classes["rows"]}
          style={{ paddingTop: above, paddingBottom: below }}
          aria-label={text.steps}
        >
          {shown.map((row, index) => (
            <Row
              key={row.key}
              row={row}
              shown={view.shown}
              place={{ at: start + index + 1, of: timeline.rows.length }}
              isSelected={row.run !== null && row.run.id === shownRunId && row.isOpen !== true}
              onSelect={onSelect}
              onToggle={() => setToggled(new Map(toggled).set(row.key, row.isOpen === false))}
            />
          ))}
        </ol>
      </div>
      <Text size="xs" c="dimmed" p="xs" visibleFrom="sm">
        {text.help}
      </Text>
    </Paper>
  );
}

function Legend({ hasEarlier }: { hasEarlier: boolean }) {
  const kinds = hasEarlier ? (["earlier", "waiting", "running"] as const) : (["waiting", "running"] as const);
  return (
    <ul className={classes["legend"]}>
      {kinds.map((kind) => (
        <li key={kind}>
          <i className={classes["part"]} data-kind={kind} aria-hidden />
          {text.legend[kind]}
        </li>
      ))}
      <li>
        <i className={classes["part"]} data-kind="running" data-critical aria-hidden />
        {text.legend.critical}
      </li>
    </ul>
  );
}

/** Up and down go from row to row. True when the key was one of these. */
function moveFocus(event: KeyboardEvent<HTMLElement>): boolean {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return false;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-timeline-row]")];
  const at = rows.findIndex((row) => row.parentElement?.contains(document.activeElement) === true);
  rows[at < 0 ? 0 : at + step]?.focus();
  event.preventDefault();
  return true;
}
