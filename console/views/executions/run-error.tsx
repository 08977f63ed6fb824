import { Alert, Anchor, Code, Stack, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Failure } from "../../../schema/contract/problem.ts";
import { nextStep } from "./next-step.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";

interface RunErrorProps {
  title: ReactNode;
  error: Failure;
  /** Shown in place of the error's code when that only says that the exit code is not 0. */
  exitCode?: number | null;
  connectionId?: string | null;
  workflowId: string;
  /** What belongs between the message and the next step. */
  children?: ReactNode;
  /** What belongs after the next step. */
  aside?: ReactNode;
}

/** A failure: its message, its code, and the next step. */
export function RunError({
  title,
  error,
  exitCode = null,
  connectionId = null,
  workflowId,
  children,
  aside,
}: RunErrorProps) {
  const next = nextStep(error.code);
  const code = error.code === "nonzero_exit" && exitCode !== null ? text.failure.exitCode(exitCode) : error.code;
  const isCancelled = error.code === "cancelled";
  return (
    <Alert color={isCancelled ? "gray" : "red"} icon={<IconAlertCircle aria-hidden />} title={title}>
      <Stack gap={4}>
        <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
          {error.message} {isCancelled || error.message.includes(code) ? null : <Code>{code}</Code>}
        </Text>
        {children}
        {next === null ? null : (
          <Text size="sm">
            {next.text}{" "}
            {next.connection === true && connectionId !== null ? (
              <Anchor component={Link} href={`/connections/${connectionId}`} size="sm">
                {text.failure.openConnection}
              </Anchor>
            ) : null}
            {next.workflow === true ? (
              <Anchor component={Link} href={`/workflows/${workflowId}`} size="sm">
                {text.failure.openWorkflow}
              </Anchor>
            ) : null}
          </Text>
        )}
        {aside}
      </Stack>
    </Alert>
  );
}
