import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import type { z } from "zod";
import type { AgentView, enrolmentSchema } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { messageOf } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { notDone } from "../../ui/not-done.ts";
import { LoadingState, ProblemText } from "../../ui/states.tsx";
import { useNow } from "../../ui/time.tsx";
import { reachOf } from "./install-commands.ts";
import { EnrolStep, InstallSteps } from "./install-steps.tsx";
import { AGENT_READS } from "./refreshes.ts";
import type { InstallSource } from "./use-install-source.ts";
import { useInstallSource } from "./use-install-source.ts";
import { WaitForAgent } from "./wait-for-agent.tsx";

export type Enrolment = z.infer<typeof enrolmentSchema>;

/** The dialog that installs an agent which has not registered yet. */
export function SetUpAgentDialog({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} size="xl" title={`Install ${agent.name}`}>
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
  if (source.isPending) return <LoadingState label="Loading the install commands" />;
  return (
    <Stack gap="md">
      {source.data === undefined ? (
        <>
          <Alert color="yellow" title="This agent cannot be installed from here yet">
            {messageOf(source.error)}
          </Alert>
          <CodeAndCommand agent={agent} first={enrolment} source={null} />
        </>
      ) : reachOf(source.data.origin) === "no" ? (
        <Alert color="yellow" title="Agents refuse plain http to another machine">
          Serve the console over https, and set PUBLIC_URL to the https URL.
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
          The code in the command works once, within {minutes} min. The machine exchanges it for the agent&apos;s key.
          {reachOf(origin) === "here"
            ? ` ${origin} works only on the machine that runs the service: for other machines, set PUBLIC_URL.`
            : ""}
        </Text>
      </Stack>
    );
  }
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        {isOver
          ? "The enrolment code has expired. Create another one."
          : `${source === null ? "An executable that you built yourself takes" : "The install command contains"} an enrolment code that works once, within an hour. An earlier code of this agent stops working.`}
      </Text>
      {create.error === null ? null : (
        <Alert color="red" role="alert" title={notDone("No code was created", create.error)}>
          <ProblemText error={create.error} />
        </Alert>
      )}
      <Group>
        <Button loading={create.isPending} onClick={() => create.mutate(undefined)}>
          {isOver ? "Create another code" : source === null ? "Create enrolment code" : "Create install command"}
        </Button>
      </Group>
    </Stack>
  );
}
