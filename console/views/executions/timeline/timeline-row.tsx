import { ActionIcon, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import type { CSSProperties } from "react";
import { nodeTitle } from "../../../graph/describe-node.ts";
import { NodeStatusIcon } from "../../../graph/node-status.tsx";
import { executionTimeline as text } from "../../../strings/en/execution-timeline.ts";
import { graph } from "../../../strings/en/graph.ts";
import { duration } from "../../../strings/time.ts";
import { STATUS_COLORS } from "../../../ui/status.tsx";
import type { IterationPath } from "../iterations.ts";
import type { BarPart, PartKind } from "./bars.ts";
import type { TimelineRow } from "./rows.ts";
import { percentAt } from "./time-window.ts";
import type { TimeSpan } from "./time-window.ts";
import classes from "./timeline.module.css";

interface RowProps {
  row: TimelineRow;
  /** The part of the time that is shown. */
  shown: TimeSpan;
  place: { at: number; of: number };
  isSelected: boolean;
  onSelect: (nodeId: string, path: IterationPath) => void;
  onToggle: () => void;
}

/** One bar with its step's name. A click on the row selects the step. */
export function Row({ row, shown, place, isSelected, onSelect, onToggle }: RowProps) {
  const { node, run, path, status, isCritical, isKept, isOpen } = row;
  const parts = row.parts();
  const title = titleOf(row);
  const isReached = parts.length > 0;
  const note = isKept ? text.kept : isReached ? null : status === "skipped" ? null : text.notReached;
  const Chevron = isOpen === true ? IconChevronDown : IconChevronRight;
  return (
    <li
      className={classes["row"]}
      style={{ "--depth": row.depth } as CSSProperties}
      aria-posinset={place.at}
      aria-setsize={place.of}
    >
      {isOpen === null ? null : (
        <ActionIcon
          className={classes["toggle"] ?? ""}
          variant="subtle"
          color="gray"
          size="sm"
          aria-expanded={isOpen}
          aria-label={text.inside(title.long)}
          onClick={onToggle}
        >
          <Chevron size={16} aria-hidden />
        </ActionIcon>
      )}
      <UnstyledButton
        className={classes["bar-row"] ?? ""}
        data-timeline-row
        data-selected={isSelected || undefined}
        aria-pressed={isSelected}
        onClick={() => onSelect(run?.nodeId ?? node.id, run?.iteration ?? path)}
      >
        <VisuallyHidden>
          {text.row(title.long, [
            status === null ? null : graph.statuses[status],
            note,
            ...factsOf(parts),
            isCritical ? text.onCriticalPath : null,
          ])}
        </VisuallyHidden>
        <span className={classes["name"]} data-critical={isCritical || undefined} aria-hidden>
          {status === null ? null : <NodeStatusIcon status={status} />}
          <span title={title.long}>{title.short}</span>
        </span>
        <span className={classes["track"]} aria-hidden>
          {note === null ? null : <span className={classes["quiet"]}>{note}</span>}
          {parts.map(({ kind, from, to }) => (
            <i
              key={`${kind} ${from}`}
              className={classes["part"]}
              data-kind={kind}
              data-critical={isCritical || undefined}
              title={timeIn[kind](duration(to - from))}
              style={
                {
                  left: `${percentAt(shown, from)}%`,
                  width: `${percentAt(shown, to) - percentAt(shown, from)}%`,
                  ...(kind === "waiting" || kind === "earlier"
                    ? {}
                    : { color: `light-dark(${colorOf(status, 7)}, ${colorOf(status, 5)})` }),
                } as CSSProperties
              }
            />
          ))}
        </span>
        <span className={classes["took"]} aria-hidden>
          {isReached ? duration(lengthOf(parts)) : ""}
        </span>
      </UnstyledButton>
    </li>
  );
}

const timeIn = {
  earlier: text.earlier,
  waiting: text.waited,
  running: text.ran,
  whole: text.took,
} satisfies Record<PartKind, (time: string) => string>;

/** "waited 2 s", "ran 12 s": the time in each kind of part. */
function factsOf(parts: readonly BarPart[]): string[] {
  const kinds = [...new Set(parts.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const own = parts.filter((part) => part.kind === kind);
    return timeIn[kind](duration(own.reduce((sum, { from, to }) => sum + to - from, 0)));
  });
}

function lengthOf(parts: readonly BarPart[]): number {
  return Math.max(...parts.map(({ to }) => to)) - Math.min(...parts.map(({ from }) => from));
}

function titleOf({ node, isItem, path }: TimelineRow): { short: string; long: string } {
  const title = nodeTitle(node);
  if (!isItem) return { short: title, long: title };
  const number = path.map((index) => index + 1).join(".");
  return { short: text.item(number), long: text.itemOf(number, title) };
}

function colorOf(status: TimelineRow["status"], shade: number): string {
  return `var(--mantine-color-${STATUS_COLORS[status ?? "pending"]}-${shade})`;
}
