import { Alert, Checkbox, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Copy } from "../../../ui/copy.tsx";
import { changedTargetFields, targetFieldLabel } from "../../../../schema/contract/target-labels.ts";
import type { TargetStanding } from "./confirmed-target.ts";
import type { Standing } from "./standing.ts";
import { TargetText } from "./target-text.tsx";
import type { CheckedRecipient } from "./use-recipients.ts";

interface Props {
  recipient: CheckedRecipient;
  standing: Standing & { target: TargetStanding };
  disabled: boolean;
  onChoose: (chosen: boolean) => void;
}

/** An agent with the fingerprint of its key, to compare with what the agent itself prints. */
export function RecipientCard({ recipient, standing, disabled, onChoose }: Props) {
  const { agentId, name, fingerprint, computed, target } = recipient;
  const { isForged, comparison, former, chosen } = standing;
  const formerTarget = standing.target.former;
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
          Fingerprint of its key
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
            title="This key is not the one it is said to be"
            role="alert"
          >
            The service names the fingerprint <Code>{fingerprint}</Code>, but the key that it gives has another one. Do
            not deliver to it. Tell whoever runs this deployment.
          </Alert>
        ) : null}
        {isChanged && !isForged ? (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="This fingerprint has changed" role="alert">
            Before, this agent had <Code>{former}</Code>. That is right when its vault was made again: after a new key,
            or on another machine. Otherwise the key may belong to somebody else. Compare the fingerprint again.
          </Alert>
        ) : null}
        {formerTarget === null || isForged ? null : (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="The target has changed" role="alert">
            The connection&apos;s {targetFieldLabel(changedTargetFields(formerTarget, target))} changed since the last
            delivery from this browser. Deliver only if the values above are right.
          </Alert>
        )}
        {isForged ? null : (
          <Checkbox
            checked={chosen}
            disabled={disabled}
            onChange={(event) => onChoose(event.currentTarget.checked)}
            label={labelFor(name, comparison === "compared", standing.target.isConfirmed)}
            data-agent={agentId}
          />
        )}
      </Stack>
    </Paper>
  );
}

/** What a person confirms by ticking the agent: the fingerprint and the target, but for what they confirmed before. */
function labelFor(name: string, isCompared: boolean, isConfirmed: boolean): string {
  if (!isCompared) {
    return `I have compared the fingerprint with what ${name} itself prints, and the target is right: deliver to it`;
  }
  const target = isConfirmed ? "" : "The target is right. ";
  return `${target}Deliver to ${name} (its fingerprint was compared in this browser before)`;
}
