import { Alert, Checkbox, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Copy } from "../../../ui/copy.tsx";
import { changedTargetFields, targetFieldLabel } from "../../../../schema/contract/target-labels.ts";
import type { TargetState } from "./confirmed-target.ts";
import type { RecipientState } from "./recipient-state.ts";
import { TargetText } from "./target-text.tsx";
import type { CheckedRecipient } from "./use-recipients.ts";

interface Props {
  recipient: CheckedRecipient;
  state: RecipientState & { target: TargetState };
  disabled: boolean;
  onChoose: (chosen: boolean) => void;
}

/** An agent with the fingerprint of its key, to compare with the fingerprint that the agent itself prints. */
export function RecipientCard({ recipient, state, disabled, onChoose }: Props) {
  const { agentId, name, fingerprint, computed, target } = recipient;
  const { isForged, comparison, former, chosen } = state;
  const formerTarget = state.target.former;
  const isChanged = comparison === "changed";
  return (
    <Paper
      withBorder
      p="sm"
      component="li"
      aria-label={name}
      {...(isForged || isChanged ? { bd: "2px solid red" } : {})}
    >
      <Stack gap={6}>
        <Text fw={600} size="sm">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          Key fingerprint
        </Text>
        <Group gap={4} wrap="nowrap">
          <Code style={{ overflowWrap: "anywhere", fontSize: "0.85rem" }}>{computed}</Code>
          <Copy value={computed} label={`Copy the fingerprint of ${name}`} />
        </Group>
        <Text size="sm" c="dimmed">
          Target: where the credential will be used
        </Text>
        <TargetText target={target} />
        {isForged ? (
          <Alert
            color="red"
            icon={<IconAlertTriangle aria-hidden />}
            title="The fingerprint does not match the key"
            role="alert"
          >
            The service reports the fingerprint <Code>{fingerprint}</Code>, but the key that it sent has another one. Do
            not deliver to this agent. Report this to the administrator of this deployment.
          </Alert>
        ) : null}
        {isChanged && !isForged ? (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="This fingerprint has changed" role="alert">
            The earlier fingerprint was <Code>{former}</Code>. A change is expected when the agent&apos;s vault was
            created again: after a new key, or on another machine. Otherwise the key may belong to an attacker. Compare
            the fingerprint again.
          </Alert>
        ) : null}
        {formerTarget === null || isForged ? null : (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="The target has changed" role="alert">
            The connection&apos;s {targetFieldLabel(changedTargetFields(formerTarget, target))} changed since the last
            delivery from this browser. Deliver only if the values above are correct.
          </Alert>
        )}
        {isForged ? null : (
          <Checkbox
            checked={chosen}
            disabled={disabled}
            onChange={(event) => onChoose(event.currentTarget.checked)}
            label={labelFor(name, comparison === "compared", state.target.isConfirmed)}
            data-agent={agentId}
          />
        )}
      </Stack>
    </Paper>
  );
}

/** A person who ticks the agent confirms the fingerprint and the target, unless they confirmed them before. */
function labelFor(name: string, isCompared: boolean, isConfirmed: boolean): string {
  if (!isCompared) {
    return `I compared the fingerprint with the one that ${name} prints, and the target is correct: deliver to this agent`;
  }
  const target = isConfirmed ? "" : "The target is correct. ";
  return `${target}Deliver to ${name} (its fingerprint was compared in this browser before)`;
}
