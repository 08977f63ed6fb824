import { Anchor, CloseButton, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Permission } from "../../../schema/contract/people.ts";
import type { SetUp as SetUpState } from "../../../schema/contract/overview.ts";
import { useCan, useMe } from "../../app/session.tsx";
import { overview } from "../../strings/en/overview.ts";
import { credentialTrouble } from "./credential-trouble.ts";
import { useDismissed } from "./dismissed.ts";
import classes from "./overview.module.css";
import { Section } from "./section.tsx";

const text = overview.setUp;
/** Others follow when these are done or dismissed. */
const SHOWN = 6;

interface Hint {
  id: string;
  href: string;
  label: string;
  reason: string;
  permission: Permission;
  /** Who can do it, for a person without the permission. */
  ask: string;
  /** A step of every set-up, not about one connection. */
  isStep: boolean;
}

/** What is missing in the set-up, one line each. A line goes away when it is done, or when the person dismisses it. */
export function SetUp({ setUp, isGuided }: { setUp: SetUpState; isGuided: boolean }) {
  const { dismissed, dismiss } = useDismissed();
  const { permissions } = useMe();
  const hints = hintsFor(setUp).filter(
    // The guide through the first run has the steps that this person may do.
    ({ id, isStep, permission }) => !dismissed.has(id) && !(isGuided && isStep && permissions.includes(permission)),
  );
  if (hints.length === 0) return null;
  const hidden = hints.length - SHOWN;
  return (
    <Section title={text.title}>
      <ul className={classes["hints"]}>
        {hints.slice(0, SHOWN).map((hint) => (
          <HintLine key={hint.id} hint={hint} dismiss={() => dismiss(hint.id)} />
        ))}
      </ul>
      {hidden <= 0 ? null : (
        <Text size="sm" c="dimmed">
          {text.more(hidden, setUp.withoutCredential.more)}
        </Text>
      )}
    </Section>
  );
}

function HintLine({ hint, dismiss }: { hint: Hint; dismiss: () => void }) {
  const { href, label, reason, permission, ask } = hint;
  const may = useCan(permission);
  return (
    <Group component="li" gap="xs" wrap="nowrap" justify="space-between">
      <Text size="sm" miw={0} lineClamp={3}>
        {text.line(
          <Anchor component={Link} href={href} inherit fw={500}>
            {label}
          </Anchor>,
          reason,
          may ? null : ask,
        )}
      </Text>
      <CloseButton aria-label={text.dismiss(label)} onClick={dismiss} />
    </Group>
  );
}

function hintsFor({ hasAgent, hasConnection, hasWorkflow, withoutCredential }: SetUpState): Hint[] {
  const steps: (Omit<Hint, "isStep"> & { isDone: boolean })[] = [
    {
      id: "agent",
      isDone: hasAgent,
      href: "/agents",
      ...text.agent,
      permission: "agents:write",
      ask: text.ask.admin,
    },
    {
      id: "connection",
      isDone: hasConnection,
      href: "/connections",
      ...text.connection,
      permission: "connections:write",
      ask: text.ask.editor,
    },
    {
      id: "workflow",
      isDone: hasWorkflow,
      href: "/workflows/new",
      ...text.workflow,
      permission: "automation:write",
      ask: text.ask.editor,
    },
  ];
  return [
    ...steps.filter(({ isDone }) => !isDone).map((step) => ({ ...step, isStep: true })),
    ...withoutCredential.items.map((connection): Hint => ({
      // A new state of the credential is a new hint.
      id: `credential ${connection.id} ${connection.credentialStatus}`,
      href: `/connections/${connection.id}`,
      label: text.credential.label(connection.name),
      reason: credentialTrouble(connection),
      permission: "credentials:write",
      ask: text.ask.admin,
      isStep: false,
    })),
  ];
}
