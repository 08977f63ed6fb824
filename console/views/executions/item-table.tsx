import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import type { Definition, ForEachNode } from "../../../schema/contract/workflow.ts";
import { NodeStatus } from "../../graph/node-status.tsx";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { itemRows } from "./items.ts";
import type { ItemRow } from "./items.ts";
import { hasFailed } from "./iterations.ts";
import type { IterationPath } from "./iterations.ts";
import { stepAddress } from "./places.ts";
import { number } from "../../strings/format.ts";
import { common } from "../../strings/en/common.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import { executions } from "../../strings/en/executions.ts";

const SHOWN_AT_FIRST = 100;
const ITEM_MAX_CHARS = 200;

interface ItemTableProps {
  execution: ExecutionView;
  definition: Definition;
  node: ForEachNode;
  path: IterationPath;
}

/** The items of a forEach: status, duration and error of each. */
export default function ItemTable({ execution, definition, node, path }: ItemTableProps) {
  const [failedOnly, setFailedOnly] = useState(false);
  const [count, setCount] = useState(SHOWN_AT_FIRST);
  const all = useMemo(() => itemRows(execution, definition, node, path), [execution, definition, node, path]);
  const failed = all.filter(({ status }) => hasFailed(status));
  const rows = failedOnly ? failed : all;
  const { batchSize } = node;
  const addressOf = ({ run, index }: ItemRow) =>
    stepAddress(execution.id, run ?? { nodeId: node.id, iteration: [...path, index] });
  const columns: Column<ItemRow>[] = [
    {
      name: "#",
      cell: (row) => (
        <Anchor component={Link} href={addressOf(row)} size="sm" aria-label={text.items.show(row.index + 1)}>
          {row.index + 1}
        </Anchor>
      ),
      onCard: "title",
    },
    ...(batchSize === undefined
      ? []
      : [{ name: text.items.batch, cell: ({ index }: ItemRow) => number(Math.floor(index / batchSize) + 1) }]),
    { name: text.items.item, cell: (row) => <Item row={row} />, isLong: true },
    { name: common.status, cell: ({ status }) => <NodeStatus status={status} />, onCard: "beside" },
    { name: executions.took, cell: ({ from, to }) => (from === null ? "–" : <Elapsed from={from} to={to} />) },
  ];
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        {/* A button and no checkbox: in an input, N is a letter. */}
        <Button
          size="compact-xs"
          variant={failedOnly ? "filled" : "default"}
          aria-pressed={failedOnly}
          onClick={() => setFailedOnly(!failedOnly)}
        >
          {text.items.failedOnly(failed.length, all.length)}
        </Button>
        {failed.length === 0 ? null : (
          <Text size="xs" c="dimmed">
            {text.items.keys}
          </Text>
        )}
      </Group>
      <ListTable
        label={text.items.label}
        rows={rows.slice(0, count)}
        columns={columns}
        keyOf={({ index }) => String(index)}
        hrefOf={addressOf}
        minWidth={300}
      />
      {rows.length <= count ? null : (
        <Anchor component="button" size="sm" onClick={() => setCount(count * 4)}>
          {text.showMore(rows.length)}
        </Anchor>
      )}
    </Stack>
  );
}

/** An item as text, and its error below: beside it, the panel has no room for a sentence. */
function Item({ row: { item, run } }: { row: ItemRow }) {
  const error = run?.error?.message;
  return (
    <>
      {item?.slice(0, ITEM_MAX_CHARS) ?? "–"}
      {error === undefined ? null : (
        <Text size="xs" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </>
  );
}
