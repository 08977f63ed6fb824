import { Fragment } from "react";
import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { maintenance as text } from "../../strings/en/maintenance.ts";
import { WorkflowName } from "../executions/workflow-name.tsx";

/** The workflows, tags and services of a window, in one line. */
export function AppliesTo({ window }: { window: MaintenanceWindowView }) {
  const { everything, workflowIds, tags, services } = window;
  if (everything) return <>{text.everything}</>;
  const entries = [
    ...workflowIds.map((id) => (
      <Anchor key={id} component={Link} href={`/workflows/${id}`} inherit>
        <WorkflowName id={id} />
      </Anchor>
    )),
    ...[...tags.map(text.tag), ...services.map(text.service)].map((name, at) => (
      <Fragment key={`${at} ${name}`}>{name}</Fragment>
    )),
  ];
  return (
    <>
      {entries.map((entry, at) => (
        <Fragment key={entry.key}>
          {at === 0 ? "" : ", "}
          {entry}
        </Fragment>
      ))}
    </>
  );
}
