import { Alert, Anchor, Badge, Button, Group, Loader, Stack, Text, TextInput } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { messageOf } from "../../../api/problem.ts";
import { useCan } from "../../../app/session.tsx";
import { actorLabel } from "../../../ui/actor-label.ts";
import { ProblemText } from "../../../ui/states.tsx";
import { Elapsed, TimeAgo } from "../../../ui/time.tsx";
import { WarningLine } from "../../../ui/warning-line.tsx";
import { duration } from "../../../strings/time.ts";
import type { ConnectionTest, ConnectionView, LastTest } from "../../../../schema/contract/management.ts";
import { firstHostIn, targetListOf } from "../../../../schema/contract/target-list.ts";
import type { Agents } from "../use-agents.ts";
import { progressLabel } from "./job-labels.ts";
import type { ConnectionTestState } from "./use-test.ts";
import { connections } from "../../../strings/en/connections.ts";

const text = connections.test;

interface Props {
  connection: ConnectionView;
  agents: Agents;
  test: ConnectionTestState;
}

/** The connection's test: its progress, its agent, the reason for a wait, and each check with the next step. */
export function TestPanel({ connection, agents, test }: Props) {
  const mayTest = useCan("automation:execute");
  const { state, last } = test;
  const [host, setHost] = useState("");
  const list = targetListOf(connection.config);
  const isAssigned = connection.agentId !== null || connection.poolId !== null || connection.type === "notification";
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {connection.type === "notification" ? text.ofService : text.ofAgent}
      </Text>
      {mayTest && isAssigned && list !== null ? (
        <TextInput
          label={text.host}
          description={text.hostHelp(list.targets)}
          placeholder={firstHostIn(list) ?? ""}
          value={host}
          onChange={(event) => setHost(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          maw={420}
        />
      ) : null}
      {mayTest && isAssigned ? (
        <Button
          variant="light"
          size="xs"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          disabled={test.isRunning || (host.trim() === "" && list !== null && firstHostIn(list) === null)}
          onClick={() => test.begin(host.trim())}
          style={{ alignSelf: "flex-start" }}
        >
          {state === null && !last ? text.begin : text.again}
        </Button>
      ) : null}
      {isAssigned ? null : <Text size="sm">{text.notAssigned}</Text>}
      {mayTest ? null : <Text size="sm">{text.notAllowed}</Text>}
      <div aria-live="polite">
        {state === null && last === null ? <Text size="sm">{text.notTested}</Text> : null}
        {state?.phase === "asked" || state?.phase === "later" ? (
          <Running connection={connection} agents={agents} test={test} startedAt={state.startedAt} />
        ) : null}
        {state?.phase === "refused" ? (
          <Alert color="red" title={text.refused}>
            <ProblemText error={state.error} />
          </Alert>
        ) : null}
        {(state === null || state.phase === "ended") && last ? (
          <Ended outcome={last} connection={connection} agents={agents} />
        ) : null}
      </div>
    </Stack>
  );
}

function Running({ connection, agents, test, startedAt }: Props & { startedAt: string }) {
  const { state, job, jobError } = test;
  const waitingFor = state?.phase === "later" ? state.waitingFor : null;
  const agentId = job?.agentId ?? connection.agentId;
  const agent = agentId === null ? undefined : agents.byId.get(agentId);
  const progress = job === null ? (waitingFor ?? text.asking) : progressLabel(job);
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Loader size="xs" mt={4} aria-hidden />
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          {text.running(<Elapsed from={startedAt} to={null} />, agent?.name)}
        </Text>
        <Text size="sm">{progress}</Text>
        {jobError === null ? null : (
          <Text size="sm" c="red">
            {text.unread(messageOf(jobError))}
          </Text>
        )}
        {state?.phase === "later" ? (
          <Text size="xs" c="dimmed">
            {text.mayLeave}
          </Text>
        ) : null}
      </Stack>
    </Group>
  );
}

function Ended({ outcome, connection, agents }: Omit<Props, "test"> & { outcome: ConnectionTest | LastTest }) {
  const { ok, error, checks, latencyMs, testedAt, agentId, agentName, target } = outcome;
  const name = agentName ?? (agentId === undefined ? undefined : agents.byId.get(agentId)?.name);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Badge color={ok ? "teal" : "red"} variant="light" radius="sm" tt="none">
          {ok ? text.passed : text.failed}
        </Badge>
        <Text size="sm" component="div">
          {text.ended(
            <TimeAgo at={testedAt} />,
            checks.length === 0 ? null : duration(latencyMs),
            name === undefined ? null : (
              <Anchor component={Link} href={`/agents/${agentId ?? ""}`} inherit>
                {name}
              </Anchor>
            ),
            isWithoutCredential(connection, agentId),
            "by" in outcome ? actorLabel(outcome.by) : null,
          )}
        </Text>
      </Group>
      {target === undefined ? null : <Text size="sm">{text.ofHost(target)}</Text>}
      {"isBeforeChange" in outcome && outcome.isBeforeChange ? <WarningLine message={text.beforeChange} /> : null}
      {checks.some((check) => !check.ok) || error === undefined ? null : <Alert color="red">{error}</Alert>}
      <Checks checks={checks} />
    </Stack>
  );
}

/** Whether the agent of a test lacks the credential that the connection needs. */
function isWithoutCredential({ credentials }: ConnectionView, agentId: string | undefined): boolean {
  return credentials.some((one) => one.agentId === agentId && one.status !== "delivered");
}

/** The checks of a test in order, each with its result and, after a failure, the next step. */
function Checks({ checks }: { checks: ConnectionTest["checks"] }) {
  return (
    <Stack gap="xs" component="ol" aria-label={text.checks} style={{ listStyle: "none", margin: 0, padding: 0 }}>
      {checks.map(({ name, ok, detail }, index) => (
        <Group key={`${index} ${name}`} gap="xs" wrap="nowrap" align="flex-start" component="li">
          {ok ? (
            <IconCircleCheck size={20} color="var(--mantine-color-teal-text)" aria-hidden style={{ flexShrink: 0 }} />
          ) : (
            <IconCircleX size={20} color="var(--mantine-color-red-text)" aria-hidden style={{ flexShrink: 0 }} />
          )}
          <div style={{ minWidth: 0 }}>
            <Text size="sm" fw={600}>
              {text.check(name, ok)}
            </Text>
            <Text size="sm" c={ok ? "dimmed" : undefined}>
              {detail}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  );
}
