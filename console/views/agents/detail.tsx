import { Alert, SimpleGrid, Stack } from "@mantine/core";
import type { AgentView } from "../../../schema/contract/management.ts";
import { useRead } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { agents as text } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { ReadState } from "../../ui/states.tsx";
import { Page } from "../../ui/page.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { AgentBadges } from "./agent-badges.tsx";
import { AgentConnections } from "./agent-connections.tsx";
import { AgentFacts } from "./agent-facts.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { RunningJobs } from "./running-jobs.tsx";

const REFRESH_MS = 5_000;
const ABOVE = [{ label: common.agents, href: "/agents" }];

/** One agent: its status and the reasons, the jobs that it runs, and the actions on it. */
export default function View({ params }: { params: Record<string, string | undefined> }) {
  const id = params["id"] ?? "";
  const agent = useRead("/api/v1/automation/agents/{id}", { path: { id } }, { everyMs: REFRESH_MS });
  const mayWrite = useCan("agents:write");
  if (agent.data === undefined) {
    return (
      <Page title={common.agent} above={ABOVE}>
        <ReadState read={agent}>{() => null}</ReadState>
      </Page>
    );
  }
  const { name, description, registration } = agent.data;
  return (
    <Page
      title={name}
      description={description ?? undefined}
      above={ABOVE}
      beside={<AgentBadges {...agent.data} isNew={registration === null} />}
      actions={mayWrite ? <AgentActions agent={agent.data} /> : null}
    >
      <ReadState read={agent}>
        {(data) => (
          <Stack gap="md">
            <AgentNotice agent={data} mayWrite={mayWrite} />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              <Stack gap="md">
                <HealthPanel agent={data} />
                <RunningJobs agent={data} />
              </Stack>
              <Stack gap="md">
                <AgentFacts agent={data} />
                <AgentConnections agent={data} />
              </Stack>
            </SimpleGrid>
          </Stack>
        )}
      </ReadState>
    </Page>
  );
}

/** A problem of the agent, and what to do about it. */
function AgentNotice({ agent, mayWrite }: { agent: AgentView; mayWrite: boolean }) {
  const { neverStarted, disabled, rekeyed, offline } = text.notice;
  if (agent.registration === null) {
    return (
      <Alert color="yellow" title={neverStarted.title}>
        {neverStarted.what} {mayWrite ? neverStarted.install : neverStarted.ask} {neverStarted.updates}
      </Alert>
    );
  }
  if (!agent.enabled) {
    return (
      <Alert color="orange" title={disabled.title}>
        {disabled.text}
      </Alert>
    );
  }
  if (agent.rekeyed === true) {
    return (
      <Alert color="red" title={rekeyed.title}>
        {rekeyed.text} {mayWrite ? rekeyed.lostKey : null}
      </Alert>
    );
  }
  if (agent.status === "Offline") {
    return (
      <Alert color="red" title={offline.title}>
        {offline.text(<code>bellhop-agent doctor</code>)}
      </Alert>
    );
  }
  return null;
}
