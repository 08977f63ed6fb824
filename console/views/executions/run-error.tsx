import { Alert, Anchor, Code, Stack, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { Link } from "wouter";
import type { Failure } from "../../../schema/contract/problem.ts";
import { nextStep } from "./next-step.ts";

interface RunErrorProps {
  title: string;
  error: Failure;
  connectionId?: string | null;
  workflowId: string;
}

/** A failure: its message, its code, and the next step. */
export function RunError({ title, error, connectionId = null, workflowId }: RunErrorProps) {
  const next = nextStep(error.code);
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={title}>
      <Stack gap={4}>
        <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
          {error.message} <Code>{error.code}</Code>
        </Text>
        {next === null ? null : (
          <Text size="sm">
            {next.text}{" "}
            {next.connection === true && connectionId !== null ? (
              <Anchor component={Link} href={`/connections/${connectionId}`} size="sm">
                Open the connection
              </Anchor>
            ) : null}
            {next.workflow === true ? (
              <Anchor component={Link} href={`/workflows/${workflowId}`} size="sm">
                Open the workflow
              </Anchor>
            ) : null}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
