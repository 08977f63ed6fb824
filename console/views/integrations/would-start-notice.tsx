import { Anchor, Text } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "wouter";
import { useAll } from "../../api/use-all.ts";
import { startedByNewIncidents } from "./would-start.ts";

/** Lists the workflows that a test event may start before it is sent, because the event creates a real incident. */
export function WouldStart() {
  const workflows = useAll("/api/v1/automation/workflows", { query: { limit: 200 } });
  const fit = startedByNewIncidents(workflows.items ?? []);
  return (
    <Text size="sm">
      The event creates an incident of severity low, for service bellhop-test.{" "}
      {fit.length === 0 ? (
        workflows.isWhole ? (
          "No active workflow has a trigger for new incidents, so none starts."
        ) : (
          "Active workflows with a matching incident trigger start."
        )
      ) : (
        <>
          These active workflows have a trigger for new incidents, and start if their conditions match:{" "}
          {fit.map(({ id, name, isUnconditional }, index) => (
            <Fragment key={id}>
              {index === 0 ? "" : ", "}
              <Anchor component={Link} href={`/workflows/${id}`} size="sm" underline="always">
                {name}
              </Anchor>
              {isUnconditional ? " (no conditions, so it starts)" : ""}
            </Fragment>
          ))}
          .
        </>
      )}
    </Text>
  );
}
