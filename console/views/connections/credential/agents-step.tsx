import { Alert, Anchor, Checkbox, Code, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "wouter";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import { changedTargetFields, targetFieldLabel } from "../../../../schema/contract/target-labels.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { EmptyState } from "../../../ui/states.tsx";
import { AgentBadges } from "../../agents/agent-badges.tsx";
import { heldLabel } from "./status-labels.ts";
import { TargetText } from "./target-text.tsx";
import type { TargetState } from "./confirmed-target.ts";
import type { ExpectedAgent } from "./use-expected-agents.ts";
import type { CheckedRecipient } from "./use-recipients.ts";

const text = credentials.agents;

interface Props {
  connection: ConnectionView;
  recipients: readonly CheckedRecipient[];
  expected: readonly ExpectedAgent[];
  isChosen: (recipient: CheckedRecipient) => boolean;
  onChoose: (agentId: string, isChosen: boolean) => void;
  /** Null when the service lists several targets. */
  target: CredentialTarget | null;
  targetState: TargetState & { isKnown: boolean };
  onConfirmTarget: (isConfirmed: boolean) => void;
}

/** The agents of the connection with what each has, and the target that the credential is sealed with. */
export function AgentsStep(props: Props) {
  const { connection, recipients, expected, isChosen, onChoose } = props;
  const keyless = expected.filter((agent) => !recipients.some(({ agentId }) => agentId === agent.id));
  return (
    <>
      <Stack
        gap="sm"
        component="ul"
        aria-label={text.label}
        style={{ listStyle: "none", margin: 0, padding: 0, maxHeight: 320, overflowY: "auto" }}
      >
        {recipients.map((recipient) => (
          <AgentRow
            key={recipient.agentId}
            recipient={recipient}
            agent={expected.find(({ id }) => id === recipient.agentId)}
            connection={connection}
            isChosen={isChosen(recipient)}
            onChoose={onChoose}
          />
        ))}
        {keyless.map(({ id, name }) => (
          <li key={id}>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {text.noKey(
                <Anchor component={Link} href={`/agents/${id}`} inherit underline="always">
                  {text.start}
                </Anchor>,
              )}
            </Text>
          </li>
        ))}
      </Stack>
      {recipients.length === 0 ? (
        <EmptyState title={text.none.title}>
          {connection.poolId === null ? text.none.ofAgent : text.none.ofPool(connection.poolId)}
        </EmptyState>
      ) : (
        <Target {...props} />
      )}
    </>
  );
}

interface RowProps extends Pick<Props, "connection" | "onChoose"> {
  recipient: CheckedRecipient;
  agent: ExpectedAgent | undefined;
  isChosen: boolean;
}

function AgentRow({ recipient, agent, connection, isChosen, onChoose }: RowProps) {
  const { agentId, name, fingerprint, computed } = recipient;
  const held = connection.credentials.find((one) => one.agentId === agentId);
  if (computed !== fingerprint) {
    return (
      <li aria-label={name}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={text.forged.title} role="alert">
          {text.forged.body(<Code>{fingerprint}</Code>)}
        </Alert>
      </li>
    );
  }
  const later = agent?.enabled === false ? text.disabled : agent?.status === "Offline" ? text.offline : null;
  return (
    <li aria-label={name}>
      <Group gap="xs" justify="space-between" align="flex-start">
        <Checkbox
          checked={isChosen}
          onChange={(event) => onChoose(agentId, event.currentTarget.checked)}
          label={name}
          description={heldLabel(held)}
          aria-label={text.deliverTo(name)}
        />
        {agent === undefined ? null : <AgentBadges status={agent.status} enabled={agent.enabled} />}
      </Group>
      {/* Aligned with the checkbox's label. */}
      <Stack gap={2} pl={32}>
        {held === undefined || held.error === null ? null : (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {held.error}
          </Text>
        )}
        {later === null ? null : (
          <Text size="sm" c="dimmed">
            {later}
          </Text>
        )}
      </Stack>
    </li>
  );
}

function Target({ target, targetState: { isConfirmed, isKnown, former }, onConfirmTarget }: Props) {
  if (target === null) {
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={text.target.split.title} role="alert">
        {text.target.split.body}
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm" component="h4" m={0}>
        {text.target.title}
      </Text>
      <Text size="sm" c="dimmed">
        {text.target.body}
      </Text>
      <TargetText target={target} />
      {former === null ? null : (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={text.target.changed.title} role="alert">
          {text.target.changed.body(targetFieldLabel(changedTargetFields(former, target)))}
        </Alert>
      )}
      {isKnown ? (
        <Text size="sm" c="dimmed">
          {text.target.known}
        </Text>
      ) : (
        <Checkbox
          checked={isConfirmed}
          onChange={(event) => onConfirmTarget(event.currentTarget.checked)}
          label={text.target.confirm}
        />
      )}
    </Stack>
  );
}
