import "../../../api/zod-config.ts";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Suspense, lazy } from "react";
import { useSearchParams } from "wouter";
import { useCan } from "../../../app/session.tsx";
import { LoadingState } from "../../../ui/states.tsx";
import { takesCredential } from "../../../../schema/contract/connection.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { Agents } from "../use-agents.ts";
import { AgentStatuses } from "./agent-statuses.tsx";
import { secretFormsFor } from "./secret-fields.ts";
import { isHeld, isOnlyRemembered } from "./status-labels.ts";
import { useExpectedAgents } from "./use-expected-agents.ts";
import { useWithdraw } from "./use-withdraw.tsx";

/** The dialog includes the encryption code and is loaded only when a person delivers. */
const DeliverDialog = lazy(() => import("./deliver-dialog.tsx"));

/** The status of a connection's credential on each agent, and the button to deliver it. */
export default function CredentialPanel({ connection, agents }: { connection: ConnectionView; agents: Agents }) {
  const { type, config, credentials, agentId, poolId } = connection;
  const mayDeliver = useCan("credentials:write");
  const expected = useExpectedAgents(connection, agents);
  const withdraw = useWithdraw(connection);
  // The URL says whether the dialog is open: a link can open it, and the browser's back button closes it.
  const [search, setSearch] = useSearchParams();
  const isOpen = mayDeliver && search.has("deliver");
  const forms = secretFormsFor(type, config);
  if (!takesCredential(type)) {
    return <Text size="sm">A connection of this type has no credential.</Text>;
  }
  const isAssigned = agentId !== null || poolId !== null;
  const isOnAnyAgent = credentials.some(isHeld);
  const isRemembered = isOnlyRemembered(connection);
  return (
    <Stack gap="sm">
      {connection.credentialStatus === null ? (
        <Text size="sm">
          {forms.length === 0
            ? "This connection does not log in, so there is no credential to deliver."
            : "A credential is optional. Deliver one if the target requires it: then every agent needs it."}
        </Text>
      ) : null}
      {isAssigned ? null : <Text size="sm">Assign an agent or a pool before you deliver a credential.</Text>}
      {isAssigned && connection.credentialStatus !== null && credentials.length === 0 ? (
        <Text size="sm">Its pool has no agent yet, so no agent can receive a credential.</Text>
      ) : null}
      {isRemembered ? (
        <Text size="sm">
          The agents that had the credential are gone, so steps wait
          {forms.length === 0 ? "" : " until you deliver it again"}. The connection also works without a credential:
          withdraw it to let the steps run.
        </Text>
      ) : null}
      <AgentStatuses credentials={credentials} expected={expected} agents={agents} />
      {mayDeliver ? (
        <Group gap="xs">
          {isAssigned && forms.length > 0 ? (
            <Button
              size="xs"
              variant={isOnAnyAgent ? "light" : "filled"}
              leftSection={<IconKey size={14} aria-hidden />}
              onClick={() => setSearch({ deliver: "" })}
            >
              Deliver a credential
            </Button>
          ) : null}
          {isOnAnyAgent || isRemembered ? (
            <Button size="xs" variant="default" loading={withdraw.isPending} onClick={withdraw.begin}>
              Withdraw
            </Button>
          ) : null}
        </Group>
      ) : isAssigned && (forms.length > 0 || isOnAnyAgent || isRemembered) ? (
        <Text size="sm" c="dimmed">
          To deliver or withdraw a credential, ask an administrator: your role does not allow it.
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
