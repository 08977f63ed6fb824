import { Alert, Checkbox, Code, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useState } from "react";
import { changedTargetFields, targetFieldLabel } from "../../../../schema/contract/target-labels.ts";
import type { TargetState } from "./confirmed-target.ts";
import { comparePasted, groupsOf } from "./pasted-fingerprint.ts";
import type { Pasted } from "./pasted-fingerprint.ts";
import type { RecipientState } from "./recipient-state.ts";
import { TargetText } from "./target-text.tsx";
import type { CheckedRecipient } from "./use-recipients.ts";

interface Props {
  recipient: CheckedRecipient;
  state: RecipientState & { target: TargetState };
  disabled: boolean;
  onChoose: (chosen: boolean) => void;
}

const PASTE_PROBLEMS: Partial<Record<Pasted, (name: string) => string>> = {
  incomplete: () => "This contains no whole fingerprint. Copy the 43 characters.",
  other: (name) =>
    `This is another fingerprint. Check that you ran the command on ${name}. If you did, do not deliver to it, and report this to the administrator of this deployment.`,
};

/** An agent with the fingerprint of its key, to compare with the fingerprint that the agent itself prints. */
export function RecipientCard({ recipient, state, disabled, onChoose }: Props) {
  const { agentId, name, fingerprint, computed, target } = recipient;
  const { isForged, comparison, former, chosen } = state;
  const formerTarget = state.target.former;
  const isChanged = comparison === "changed";
  const [text, setText] = useState("");
  const pasted = comparePasted(text, computed);
  const paste = (next: string) => {
    setText(next);
    if (chosen && comparePasted(next, computed) === "other") onChoose(false);
  };
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
        {/* No button copies it: only the fingerprint from the agent's machine belongs into the field. */}
        <Code style={{ overflowWrap: "anywhere", fontSize: "0.85rem" }}>
          {groupsOf(computed).map((group, index) => (
            // A margin keeps the copied text free of spaces.
            <span key={index} style={{ display: "inline-block", marginInlineEnd: "0.6ch" }}>
              {group}
            </span>
          ))}
        </Code>
        {isForged || comparison === "compared" ? null : (
          <TextInput
            label={`Fingerprint that ${name} prints`}
            placeholder="Paste it here to compare"
            value={text}
            disabled={disabled}
            onChange={(event) => paste(event.currentTarget.value)}
            {...(pasted === "same"
              ? {
                  description: "It matches.",
                  rightSection: <IconCheck size={16} aria-hidden />,
                  styles: {
                    input: { borderColor: "var(--mantine-color-teal-6)" },
                    section: { color: "var(--mantine-color-teal-6)" },
                  },
                }
              : {})}
            error={PASTE_PROBLEMS[pasted]?.(name)}
          />
        )}
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
            disabled={disabled || pasted === "other"}
            onChange={(event) => onChoose(event.currentTarget.checked)}
            label={labelFor(name, comparison === "compared", pasted === "same", state.target.isConfirmed)}
            data-agent={agentId}
          />
        )}
      </Stack>
    </Paper>
  );
}

/** A person who ticks the agent confirms the fingerprint and the target, unless they confirmed them before. */
function labelFor(name: string, isCompared: boolean, isPasted: boolean, isConfirmed: boolean): string {
  if (!isCompared && isPasted) return `The target is correct: deliver to ${name}`;
  if (!isCompared) {
    return `I compared the fingerprint with the one that ${name} prints, and the target is correct: deliver to this agent`;
  }
  const target = isConfirmed ? "" : "The target is correct. ";
  return `${target}Deliver to ${name} (its fingerprint was compared in this browser before)`;
}
