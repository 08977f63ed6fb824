import "../../../api/zod-config.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Suspense, lazy } from "react";
import { useSearchParams } from "wouter";
import { useCan } from "../../../app/session.tsx";
import { credentials } from "../../../strings/en/credentials.ts";
import { LoadingState } from "../../../ui/states.tsx";
import { takesCredential } from "../../../../schema/contract/connection.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { Agents } from "../use-agents.ts";
import { AgentStatuses } from "./agent-statuses.tsx";
import { secretFormsFor } from "./secret-fields.ts";
import { isHeld, isOnlyRemembered } from "./status-labels.ts";
import { useExpectedAgents } from "./use-expected-agents.ts";
import { useWithdraw } from "./use-withdraw.tsx";

const text = credentials.panel;

/** The dialog includes the encryption code and is loaded only when a person delivers. */
const DeliverDialog = lazy(() => import("./deliver-dialog.tsx"));

/** The status of a connection's credential on each agent, and the button to deliver it. */
export default function CredentialPanel({ connection, agents }: { connection: ConnectionView; agents: Agents }) {
  const { type, config, credentials: ofAgents, agentId, poolId } = connection;
  const mayDeliver = useCan("credentials:write");
  const expected = useExpectedAgents(connection, agents);
  const withdraw = useWithdraw(connection);
  // The URL says whether the dialog is open: a link can open it, and the browser's back button closes it.
  const [search, setSearch] = useSearchParams();
  const isOpen = mayDeliver && search.has("deliver");
  const forms = secretFormsFor(type, config);
  if (!takesCredential(type)) {
    return <Text size="sm">{text.noneForType}</Text>;
  }
  const isAssigned = agentId !== null || poolId !== null;
  const isOnAnyAgent = ofAgents.some(isHeld);
  const isRemembered = isOnlyRemembered(connection);
  return (
    <Stack gap="sm">
      {connection.credentialStatus === null ? (
        <Text size="sm">{forms.length === 0 ? text.noLogin : text.optional}</Text>
      ) : null}
      {isAssigned ? null : <Text size="sm">{text.notAssigned}</Text>}
      {isAssigned && connection.credentialStatus !== null && ofAgents.length === 0 ? (
        <Text size="sm">{text.emptyPool}</Text>
      ) : null}
      {isRemembered ? (
        <Text size="sm">
          {forms.length === 0 ? text.agentsGone.wait : text.agentsGone.deliver} {text.agentsGone.withdraw}
        </Text>
      ) : null}
      <AgentStatuses credentials={ofAgents} expected={expected} agents={agents} />
      {mayDeliver ? (
        <Group gap="xs">
          {isAssigned && forms.length > 0 ? (
            <Button
              size="xs"
              variant={isOnAnyAgent ? "light" : "filled"}
              leftSection={<IconKey size={14} aria-hidden />}
              onClick={() => setSearch({ deliver: "" })}
            >
              {text.deliver}
            </Button>
          ) : null}
          {isOnAnyAgent || isRemembered ? (
            <Button size="xs" variant="default" loading={withdraw.isPending} onClick={withdraw.begin}>
              {text.withdraw}
            </Button>
          ) : null}
        </Group>
      ) : isAssigned && (forms.length > 0 || isOnAnyAgent || isRemembered) ? (
        <Text size="sm" c="dimmed">
          {text.notAllowed}
        </Text>
      ) : null}
      {isOpen && isAssigned && forms.length > 0 ? (
        <Suspense fallback={<LoadingState />}>
          <DeliverDialog
            connection={connection}
            forms={forms}
            expected={expected}
            agents={agents}
            onClose={() => setSearch({}, { replace: true })}
          />
        </Suspense>
      ) : null}
    </Stack>
  );
}
