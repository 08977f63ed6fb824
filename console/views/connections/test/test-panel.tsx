import { Alert, Anchor, Badge, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "wouter";
import { messageOf } from "../../../api/problem.ts";
import { useCan } from "../../../app/session.tsx";
import { ProblemText } from "../../../ui/states.tsx";
import { Elapsed, TimeAgo } from "../../../ui/time.tsx";
import { duration } from "../../../strings/time.ts";
import type { ConnectionTest, ConnectionView } from "../../../../schema/contract/management.ts";
import type { Agents } from "../use-agents.ts";
import { Checks } from "./checks.tsx";
import { progressLabel } from "./job-labels.ts";
import type { ConnectionTestState } from "./use-test.ts";

interface Props {
  connection: ConnectionView;
  agents: Agents;
  test: ConnectionTestState;
}

/** The connection's test: its progress, its agent, the reason for a wait, and each check with the next step. */
export function TestPanel({ connection, agents, test }: Props) {
  const mayTest = useCan("automation:execute");
  const { state } = test;
  const isAssigned = connection.agentId !== null || connection.poolId !== null || connection.type === "notification";
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {connection.type === "notification"
          ? "The service reports which of its channels are set up."
          : "The agent tests the connection without changing anything on the target."}
      </Text>
      {mayTest && isAssigned ? (
        <Button
          variant="light"
          size="xs"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          disabled={test.isRunning}
          onClick={test.begin}
          style={{ alignSelf: "flex-start" }}
        >
          {state === null ? "Test the connection" : "Test again"}
        </Button>
      ) : null}
      {isAssigned ? null : <Text size="sm">Assign an agent or a pool before you test the connection.</Text>}
      <div aria-live="polite">
        {state === null ? <Text size="sm">Not tested since you opened this page.</Text> : null}
        {state?.phase === "asked" || state?.phase === "later" ? (
          <Running connection={connection} agents={agents} test={test} startedAt={state.startedAt} />
        ) : null}
        {state?.phase === "refused" ? (
          <Alert color="red" title="The test could not start">
            <ProblemText error={state.error} />
          </Alert>
        ) : null}
        {state?.phase === "ended" ? <Ended outcome={state.outcome} connection={connection} agents={agents} /> : null}
      </div>
    </Stack>
  );
}

function Running({ connection, agents, test, startedAt }: Props & { startedAt: string }) {
  const { state, job, jobError } = test;
  const waitingFor = state?.phase === "later" ? state.waitingFor : null;
  const agentId = job?.agentId ?? connection.agentId;
  const agent = agentId === null ? undefined : agents.byId.get(agentId);
  const progress = job === null ? (waitingFor ?? "Asking the agent.") : progressLabel(job);
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Loader size="xs" mt={4} aria-hidden />
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          Testing{agent === undefined ? "" : ` on ${agent.name}`}: <Elapsed from={startedAt} to={null} />
        </Text>
        <Text size="sm">{progress}</Text>
        {jobError === null ? null : (
          <Text size="sm" c="red">
            The progress could not be read: {messageOf(jobError)}
          </Text>
        )}
        {state?.phase === "later" ? (
          <Text size="xs" c="dimmed">
            You can leave this page: the test continues, and the outcome is here when you return. The test stops after
            10 minutes of waiting.
          </Text>
        ) : null}
      </Stack>
    </Group>
  );
}

function Ended({ outcome, connection, agents }: Omit<Props, "test"> & { outcome: ConnectionTest }) {
  const { ok, error, checks, latencyMs, testedAt, agentId, agentName } = outcome;
  const name = agentName ?? (agentId === undefined ? undefined : agents.byId.get(agentId)?.name);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Badge color={ok ? "teal" : "red"} variant="light" radius="sm" tt="none">
          {ok ? "Test passed" : "Test failed"}
        </Badge>
        <Text size="sm" component="div">
          <TimeAgo at={testedAt} />, in {duration(latencyMs)}
          {name === undefined ? null : (
            <>
              , by{" "}
              <Anchor component={Link} href={`/agents/${agentId ?? ""}`} inherit>
                {name}
              </Anchor>
            </>
          )}
          {isWithoutCredential(connection, agentId) ? ", without a credential" : ""}
        </Text>
      </Group>
      {checks.some((check) => !check.ok) || error === undefined ? null : <Alert color="red">{error}</Alert>}
      <Checks checks={checks} />
    </Stack>
  );
}

/** Whether the agent of a test lacks the credential that the connection needs. */
function isWithoutCredential({ credentials }: ConnectionView, agentId: string | undefined): boolean {
  return credentials.some((one) => one.agentId === agentId && one.status !== "delivered");
}
