import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { startedBy } from "./started-by.ts";
import { executions as words } from "../../strings/en/executions.ts";

/** What started an execution, and which execution it retries. */
export function StartedByView({ execution }: { execution: ExecutionSummary }) {
  const { text, href } = startedBy(execution);
  return (
    <>
      {href === null ? (
        text
      ) : (
        <Anchor component={Link} href={href} inherit>
          {text}
        </Anchor>
      )}
      {execution.retryOf === null ? null : (
        <Text component="span" inherit c="dimmed">
          {words.retryOf(
            <Anchor component={Link} href={`/executions/${execution.retryOf}`} inherit>
              {words.earlierRun}
            </Anchor>,
          )}
        </Text>
      )}
    </>
  );
}
