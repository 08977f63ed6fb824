import { Anchor, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { overview as text } from "../../strings/en/overview.ts";
import classes from "./overview.module.css";

interface RowProps {
  href: string;
  name: ReactNode;
  /** Beside the name: badges. */
  beside?: ReactNode;
  /** At the right: a time. */
  time: ReactNode;
  /** Below the name. */
  detail?: ReactNode;
  /** Buttons at the right, on a phone below everything. */
  actions?: ReactNode;
}

/** One item of a section: its name leads to its page. */
export function Row({ href, name, beside, time, detail, actions }: RowProps) {
  return (
    <li className={classes["row"]}>
      <div className={classes["what"]}>
        <Group gap="xs">
          <Anchor component={Link} href={href} fw={500} size="sm">
            {name}
          </Anchor>
          {beside}
        </Group>
        {detail}
      </div>
      <Text size="sm" c="dimmed" component="div">
        {time}
      </Text>
      {actions}
    </li>
  );
}

export function Detail({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" lineClamp={2} title={typeof children === "string" ? children : undefined}>
      {children}
    </Text>
  );
}

/** The name of a workflow, which may have been deleted. */
export function nameOf({ workflowName }: { workflowName: string | null }): string {
  return workflowName ?? text.deletedWorkflow;
}

/** A node's name, with its iteration in a forEach. */
export function titleOf({ nodeName, iteration }: { nodeName: string; iteration?: number[] | undefined }): string {
  return iteration === undefined ? nodeName : text.item(nodeName, iteration);
}
