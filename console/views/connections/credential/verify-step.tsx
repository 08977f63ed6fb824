import { Accordion, Alert, Anchor, Checkbox, Code, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { credentials } from "../../../strings/en/credentials.ts";
import { Copyable } from "../../../ui/copy.tsx";
import { FINGERPRINT_COMMANDS } from "../../agents/install-commands.ts";
import type { PlatformCommands } from "../../agents/install-commands.ts";
import type { Agents } from "../use-agents.ts";
import { comparePasted, groupsOf } from "./pasted-fingerprint.ts";
import type { CheckedRecipient } from "./use-recipients.ts";
import { VerifiedHint } from "./verified-hint.tsx";

const text = credentials.verify;

/** What a person did to compare an agent's key: the pasted text, or the fingerprint that was compared by eye. */
export interface Comparison {
  pasted: string;
  byEye: string | null;
}

/** An agent whose key was not compared in this browser. */
export interface ToCompare {
  recipient: CheckedRecipient;
  former: string | null;
  comparison: Comparison;
}

interface Props {
  toCompare: readonly ToCompare[];
  /** The names of the chosen agents whose keys were compared before. */
  known: readonly string[];
  agents: Agents;
  onCompare: (agentId: string, comparison: Comparison) => void;
}

/** A pasted text decides alone. A comparison by eye counts for the fingerprint that was shown. */
export function isSame({ recipient: { computed }, comparison: { pasted, byEye } }: ToCompare): boolean {
  const result = comparePasted(pasted, computed);
  return result === "nothing" ? byEye === computed : result === "same";
}

/** The command that prints the fingerprints on the agents' machines, and a field for each to compare with. */
export function VerifyStep({ toCompare, known, agents, onCompare }: Props) {
  const platforms = Map.groupBy(toCompare, ({ recipient }) => platformOf(recipient, agents));
  return (
    <>
      {toCompare.length === 0 ? (
        <Text size="sm">{text.allKnown}</Text>
      ) : (
        <Stack gap="xs">
          {[...platforms].map(([platform, those]) => (
            <Stack key={platform} gap={4}>
              <Text size="sm">{text.run[platform](those.map(({ recipient }) => recipient.name))}</Text>
              <Copyable label={text.command} value={FINGERPRINT_COMMANDS[platform]} />
            </Stack>
          ))}
          <Text size="xs" c="dimmed">
            {text.withoutService(
              <Code>bellhop-agent fingerprint --env-file …</Code>,
              <Anchor inherit href="/help/local#logs-and-keys" target="_blank">
                {text.onThisMachine}
              </Anchor>,
            )}
          </Text>
          <Text size="sm">{text.paste}</Text>
        </Stack>
      )}
      <Stack gap="xs" component="ul" aria-label={text.label} style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {toCompare.map((one) => (
          <KeyCard key={one.recipient.agentId} {...one} onCompare={onCompare} />
        ))}
      </Stack>
      {toCompare.length === 0 || known.length === 0 ? null : <Text size="sm">{text.known(known)}</Text>}
      <Accordion variant="default" chevronPosition="left">
        <Accordion.Item value="why">
          <Accordion.Control>{text.why}</Accordion.Control>
          <Accordion.Panel>
            <Text size="sm">{text.reason}</Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}

function KeyCard({ recipient, former, comparison, onCompare }: ToCompare & Pick<Props, "onCompare">) {
  const { agentId, name, computed } = recipient;
  const { pasted, byEye } = comparison;
  const result = comparePasted(pasted, computed);
  return (
    <Paper withBorder p="sm" component="li" aria-label={name} {...(former === null ? {} : { bd: "2px solid red" })}>
      <Stack gap={6}>
        <Text fw={600} size="sm">
          {name}
        </Text>
        {former === null ? null : (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={text.changed.title} role="alert">
            {text.changed.body(<Code>{former}</Code>)}
          </Alert>
        )}
        <Text size="sm" c="dimmed">
          {text.fingerprint}
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
        <VerifiedHint {...recipient} />
        <TextInput
          label={text.field(name)}
          placeholder={text.placeholder}
          value={pasted}
          onChange={(event) => onCompare(agentId, { byEye: null, pasted: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          {...(result === "same"
            ? {
                description: text.matches,
                rightSection: <IconCheck size={16} aria-hidden />,
                styles: {
                  input: { borderColor: "var(--mantine-color-teal-6)" },
                  section: { color: "var(--mantine-color-teal-6)" },
                },
              }
            : {})}
          error={result === "incomplete" ? text.incomplete : result === "other" ? text.other(name) : undefined}
        />
        {result === "nothing" ? (
          <Checkbox
            checked={byEye === computed}
            onChange={(event) => onCompare(agentId, { pasted, byEye: event.currentTarget.checked ? computed : null })}
            label={text.byEye(name)}
          />
        ) : null}
      </Stack>
    </Paper>
  );
}

function platformOf({ agentId }: CheckedRecipient, agents: Agents): keyof PlatformCommands {
  return agents.byId.get(agentId)?.registration?.os === "windows" ? "windows" : "linux";
}
