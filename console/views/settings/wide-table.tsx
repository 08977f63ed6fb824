import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./settings.module.css";

interface WideTableProps {
  label: string;
  minWidth: number;
  head: ReactNode;
  children: ReactNode;
}

/** A table that scrolls inside its box when it is wider than the page. */
export function WideTable({ label, minWidth, head, children }: WideTableProps) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": label } }}
    >
      <Table verticalSpacing="xs" className={classes["table"] ?? ""} aria-label={label}>
        <Table.Thead>
          <Table.Tr>{head}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** For cells with long words, such as names and addresses. */
export const LONG = classes["long"] ?? "";
/** For cells that stay on one line: times. */
export const PLAIN = classes["plain"] ?? "";
