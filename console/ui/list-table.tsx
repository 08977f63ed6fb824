import { Card, Group, Stack, Table, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useMemo } from "react";
import type { MouseEvent, ReactNode } from "react";
import { useLocation } from "wouter";
import { Facts } from "./facts.tsx";
import { useRowsInView } from "./use-rows-in-view.ts";
import classes from "./list-table.module.css";
import { common } from "../strings/en/common.ts";

export interface Column<Row> {
  name: string;
  /** Null: nothing to show. */
  cell: (row: Row) => ReactNode;
  /** Text of any length: it wraps. All other cells stay on one line. */
  isLong?: boolean;
  /** On a card: above the others, beside that, below the others without its name. Default: a line with its name. */
  onCard?: "title" | "beside" | "below";
  width?: number | string;
}

interface ListTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** The page of a row. A click anywhere in the row opens it; one cell must have a link to it for the keyboard. */
  hrefOf?: (row: Row) => string;
  /** The width below which the table scrolls inside its box. */
  minWidth?: number;
  /** A list of any length: its rows have one height, and only those in view are in the page. */
  isLong?: boolean;
}

/** A list as a table whose cells cut no words, or as cards on a narrow screen. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  return useIsNarrow() ? <Cards {...props} /> : <Rows {...props} />;
}

/** Whether lists are shown as cards. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
}

function Rows<Row>({ label, rows, columns, keyOf, hrefOf, minWidth = 760, isLong = false }: ListTableProps<Row>) {
  const openRow = useOpenRow();
  const { box, start, shown, above, below } = useRowsInView(rows, isLong ? ROW_PX : null);
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} aria-label={label}>
      <Table
        verticalSpacing="xs"
        highlightOnHover={hrefOf !== undefined}
        className={`${classes["table"]} ${isLong ? classes["fixed"] : ""}`}
        aria-rowcount={rows.length + 1}
        aria-label={label}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, width }) => (
              <Table.Th key={name} w={width}>
                {name === ACTIONS ? <VisuallyHidden>{name}</VisuallyHidden> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={box}>
          <Gap height={above} columns={columns.length} />
          {shown.map((row, index) => (
            <Table.Tr
              key={keyOf(row)}
              data-row
              aria-rowindex={start + index + 2}
              {...(hrefOf === undefined ? {} : openRow(hrefOf(row)))}
            >
              <Cells row={row} columns={columns} />
            </Table.Tr>
          ))}
          <Gap height={below} columns={columns.length} />
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The cells of a row. They are the same elements while the row is the same, so a change renders only its own row. */
function Cells<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return useMemo(
    () =>
      columns.map(({ name, cell, isLong = false }) => (
        <Table.Td key={name}>{isLong ? <div className={classes["long"]}>{cell(row)}</div> : cell(row)}</Table.Td>
      )),
    [row, columns],
  );
}

/** The height of a row and of a card of a long list, as in list-table.module.css. */
const ROW_PX = 36;
const CARD_PX = 192;

/** The room of rows that are not in the page. */
function Gap({ height, columns }: { height: number; columns: number }) {
  return height === 0 ? null : (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}

/** The name of a column of buttons: only screen readers get it. */
export const ACTIONS = common.actions;

function Cards<Row>({ label, rows, columns, keyOf, isLong = false }: ListTableProps<Row>) {
  const { box, shown, above, below } = useRowsInView(rows, isLong ? CARD_PX : null);
  const cellsAt = (place: Column<Row>["onCard"], row: Row) =>
    columns.flatMap(({ name, cell, onCard }) => {
      const content = onCard === place ? cell(row) : null;
      return content === null ? [] : [[name, content] as const];
    });
  return (
    <ul ref={box} className={classes["cards"]} style={{ paddingTop: above, paddingBottom: below }} aria-label={label}>
      {shown.map((row) => (
        <Card
          key={keyOf(row)}
          withBorder
          padding="sm"
          component="li"
          className={`${classes["card"]} ${isLong ? classes["even"] : ""}`}
        >
          <Stack gap={6}>
            <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
              <div className={classes["title"]}>{cellsAt("title", row).map(([, content]) => content)}</div>
              <div className={classes["beside"]}>{cellsAt("beside", row).map(([, content]) => content)}</div>
            </Group>
            <Facts facts={cellsAt(undefined, row)} />
            {cellsAt("below", row).map(([name, content]) => (
              <div key={name}>{content}</div>
            ))}
          </Stack>
        </Card>
      ))}
    </ul>
  );
}

/** Handlers for a row that leads to a page as a link does: a middle click, Ctrl and Cmd open another tab. */
export function useOpenRow() {
  const [, navigate] = useLocation();
  return (href: string) => ({
    className: classes["row"] ?? "",
    onClick: (event: MouseEvent) => {
      if (!isOnRow(event)) return;
      if (event.ctrlKey || event.metaKey) window.open(href, "_blank", "noopener");
      else navigate(href);
    },
    onAuxClick: (event: MouseEvent) => {
      if (event.button === 1 && isOnRow(event)) window.open(href, "_blank", "noopener");
    },
  });
}

/** Not on a link or a button of the row, nor at the end of selecting text. */
function isOnRow({ target }: MouseEvent): boolean {
  const isOnControl = target instanceof Element && target.closest("a, button, input, label, [role=menuitem]") !== null;
  return !isOnControl && window.getSelection()?.type !== "Range";
}
