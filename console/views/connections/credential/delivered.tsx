import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { useRead } from "../../../api/queries.ts";
import { useCan } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { TestPanel } from "../test/test-panel.tsx";
import { useConnectionTest } from "../test/use-test.ts";
import type { Agents } from "../use-agents.ts";
import { AgentStatuses } from "./agent-statuses.tsx";
import { StepList, StepTitle } from "./steps.tsx";
import type { Step } from "./steps.tsx";
import type { Delivered as DeliveredTo } from "./use-delivery.ts";
import type { ExpectedAgent } from "./use-expected-agents.ts";

const text = credentials.delivered;
const POLL_MS = 3_000;
const BEFORE: readonly Step[] = ["agents", "verify", "secret"];

interface Props {
  connection: ConnectionView;
  delivered: DeliveredTo;
  expected: readonly ExpectedAgent[];
  agents: Agents;
  onAgain: () => void;
  onClose: () => void;
}

/** The progress of a delivery, until each agent has accepted or refused it, then the connection's test. */
export function Delivered({ connection, delivered, expected, agents, onAgain, onClose }: Props) {
  const [step, setStep] = useState<"deliver" | "test">("deliver");
  const mayTest = useCan("automation:execute");
  const test = useConnectionTest(connection.id);
  const own = useProgress(connection.id, delivered);
  const waiting = own.filter(({ status }) => status === "pending").length;
  const failed = own.filter(({ status }) => status === "failed" || status === "expired").length;
  // Without the credential on any agent, a test would wait for one.
  const isTestable = mayTest && waiting + failed < own.length;
  const isTestFailed = test.state?.phase === "refused" || (test.state?.phase === "ended" && !test.state.outcome.ok);
  const isDone = waiting + failed === 0;
  const isAgain = step === "deliver" ? failed > 0 : isTestFailed;
  return (
    <Stack gap="md">
      <StepList
        current={step}
        open={isTestable ? ["deliver", "test"] : ["deliver"]}
        done={isDone ? [...BEFORE, "deliver"] : BEFORE}
        onOpen={(next) => setStep(next === "test" ? "test" : "deliver")}
      />
      {step === "deliver" ? (
        <>
          <StepTitle isFocused>{text.title}</StepTitle>
          <Group gap="xs" wrap="nowrap" role="status">
            {waiting === 0 ? null : <Loader size="xs" aria-hidden />}
            <Text size="sm" fw={600}>
              {waiting > 0
                ? text.waiting(waiting, own.length)
                : failed > 0
                  ? text.failed(failed, own.length)
                  : text.done(own.length)}
            </Text>
          </Group>
          <AgentStatuses credentials={own} expected={expected} agents={agents} />
          {waiting === 0 ? null : (
            <Text size="sm" c="dimmed">
              {text.mayClose}
            </Text>
          )}
        </>
      ) : (
        <>
          <StepTitle isFocused key="test">
            {credentials.test.title}
          </StepTitle>
          <TestPanel connection={connection} agents={agents} test={test} />
        </>
      )}
      <Group>
        {isAgain ? <Button onClick={onAgain}>{text.again}</Button> : null}
        {step === "deliver" && isTestable ? (
          <Button
            variant={isAgain ? "default" : "filled"}
            onClick={() => {
              setStep("test");
              test.begin("");
            }}
          >
            {text.test}
          </Button>
        ) : null}
        <Button variant={isAgain || (step === "deliver" && isTestable) ? "default" : "filled"} onClick={onClose}>
          {common.close}
        </Button>
      </Group>
    </Stack>
  );
}

/** The states of the agents of a delivery. A read from before the delivery has an older version. */
function useProgress(id: string, { statuses, recipients }: DeliveredTo) {
  const read = useRead("/api/v1/automation/connections/{id}", { path: { id } }, { everyMs: POLL_MS });
  return statuses
    .filter(({ agentId }) => recipients.some((recipient) => recipient.agentId === agentId))
    .map((answered) => {
      const latest = read.data?.credentials.find(({ agentId }) => agentId === answered.agentId);
      return latest !== undefined && latest.version >= answered.version ? latest : answered;
    });
}
