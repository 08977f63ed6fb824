import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import type { z } from "zod";
import type { AgentView, enrolmentSchema } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { agentSetUp } from "../../strings/en/agent-set-up.ts";
import { notDone } from "../../ui/not-done.ts";
import { LoadingState, ProblemText } from "../../ui/states.tsx";
import { useNow } from "../../ui/time.tsx";
import { reachOf } from "./install-commands.ts";
import { EnrolStep, InstallSteps } from "./install-steps.tsx";
import { AGENT_READS } from "./refreshes.ts";
import type { InstallSource } from "./use-install-source.ts";
import { useInstallSource } from "./use-install-source.ts";
import { WaitForAgent } from "./wait-for-agent.tsx";

const text = agentSetUp.install;

export type Enrolment = z.infer<typeof enrolmentSchema>;

/** The dialog that installs an agent which has not registered yet. */
export function SetUpAgentDialog({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} size="xl" title={text.title(agent.name)}>
      <SetUpAgent agent={agent} />
    </Modal>
  );
}

interface SetUpAgentProps {
  agent: AgentView;
  /** A code that was just created. */
  enrolment?: Enrolment | null;
  children?: ReactNode;
}

/** One command with a single-use code, and whether the agent has registered. */
export function SetUpAgent({ agent, enrolment = null, children }: SetUpAgentProps) {
  const source = useInstallSource();
  if (source.isPending) return <LoadingState label={text.loading} />;
  return (
    <Stack gap="md">
      {source.data === undefined ? (
        <>
          <Alert color="yellow" title={text.noRelease}>
            {messageOf(source.error)}
          </Alert>
          <CodeAndCommand agent={agent} first={enrolment} source={null} />
        </>
      ) : reachOf(source.data.origin) === "no" ? (
        <Alert color="yellow" title={text.plainHttp.title}>
          {text.plainHttp.fix}
        </Alert>
      ) : (
        <CodeAndCommand agent={agent} first={enrolment} source={source.data} />
      )}
      <WaitForAgent agentId={agent.id} rekey={false} />
      {children}
    </Stack>
  );
}

function CodeAndCommand({
  agent,
  first,
  source,
}: {
  agent: AgentView;
  first: Enrolment | null;
  source: InstallSource | null;
}) {
  const [enrolment, setEnrolment] = useState(first);
  const now = useNow(5_000);
  const origin = source?.origin ?? location.origin;
  const create = useAction(
    async (_: undefined, options) => {
      const path = { id: agent.id };
      // The code is set here and not returned: the query cache keeps an action's result for a while.
      setEnrolment(await call("POST", "/api/v1/automation/agents/{id}/enrolment", { path }, options));
    },
    { refreshes: AGENT_READS },
  );
  const isOver = enrolment !== null && now >= Date.parse(enrolment.expiresAt);
  if (enrolment !== null && !isOver) {
    const minutes = Math.ceil((Date.parse(enrolment.expiresAt) - serviceNow()) / 60_000);
    return (
      <Stack gap="xs">
        {source === null ? (
          <EnrolStep origin={origin} code={enrolment.code} />
        ) : (
          <InstallSteps source={source} code={enrolment.code} />
        )}
        <Text size="xs" c="dimmed">
          {text.validity(minutes)} {reachOf(origin) === "here" ? text.onlyHere(origin) : null}
        </Text>
      </Stack>
    );
  }
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{isOver ? text.expired : source === null ? text.code : text.command}</Text>
      {create.error === null ? null : (
        <Alert color="red" role="alert" title={notDone(text.failed, create.error)}>
          <ProblemText error={create.error} />
        </Alert>
      )}
      <Group>
        <Button loading={create.isPending} onClick={() => create.mutate(undefined)}>
          {isOver ? text.createAnother : source === null ? text.createCode : text.createCommand}
        </Button>
      </Group>
    </Stack>
  );
}
