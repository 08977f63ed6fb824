import "../../api/zod-config.ts";
import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import { IconBell, IconCalendarTime, IconHandClick, IconWebhook } from "@tabler/icons-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useCan } from "../../app/session.tsx";
import { confirm } from "../../ui/confirm.tsx";
import { Page } from "../../ui/page.tsx";
import { NoPermission } from "../../ui/states.tsx";
import { useNow } from "../../ui/time.tsx";
import { ago } from "../../ui/time-text.ts";
import { Designer } from "./designer.tsx";
import type { Draft } from "./model/commands.ts";
import { begin } from "./model/history.ts";
import { TRIGGER_LABELS } from "./model/trigger.ts";
import { dropKept, readKept } from "./save/kept.ts";
import { useKeptKey } from "./save/use-kept.ts";
import { TEMPLATES, emptyDraft } from "./templates.ts";
import classes from "./new.module.css";

const TRIGGERS = [
  { type: "webhook", icon: IconWebhook, hint: "An alert calls the workflow's address." },
  { type: "incident", icon: IconBell, hint: "An incident is created, escalated or resolved." },
  { type: "cron", icon: IconCalendarTime, hint: "At set times." },
  { type: "manual", icon: IconHandClick, hint: "A person starts it, with optional inputs." },
] as const;

/** /workflows/new: asks for the name and the trigger, or offers a template. */
export default function New() {
  const allowed = useCan("automation:write");
  const key = useKeptKey(null);
  const now = useNow(30_000);
  const [kept, setKept] = useState(() => readKept(localStorage, key));
  const [draft, setDraft] = useState<Draft | null>(null);
  const [name, setName] = useState("");
  if (!allowed) {
    return (
      <Page title="New workflow" above={[{ label: "Workflows", href: "/workflows" }]}>
        <NoPermission>Your role does not allow creating workflows.</NoPermission>
      </Page>
    );
  }
  if (draft !== null) return <Designer workflow={null} initial={begin(draft)} />;
  const start = async (next: Draft) => {
    // The browser keeps one unsaved new workflow: replacing it needs the person's consent.
    const other = readKept(localStorage, key);
    if (other !== null && !(await confirm(discarding(other.draft.name)))) return;
    dropKept(localStorage, key);
    setDraft({ ...next, name: name.trim() === "" ? next.name : name.trim() });
  };
  return (
    <Page title="New workflow" above={[{ label: "Workflows", href: "/workflows" }]}>
      {kept === null ? null : (
        <Alert color="yellow" variant="light" title={`“${kept.draft.name}” from ${ago(kept.at, now)} was not saved`}>
          <Group gap="xs">
            <Button size="xs" onClick={() => setDraft(kept.draft)}>
              Continue editing
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                dropKept(localStorage, key);
                setKept(null);
              }}
            >
              Discard
            </Button>
          </Group>
        </Alert>
      )}
      <TextInput
        label="Name"
        placeholder="Restart the web server"
        maw={480}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Stack gap="xs">
        <Title order={2} size="h4">
          What starts the workflow?
        </Title>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          {TRIGGERS.map(({ type, icon: Icon, hint }) => (
            <Choice
              key={type}
              icon={<Icon size={22} stroke={1.6} aria-hidden />}
              title={TRIGGER_LABELS[type]}
              hint={hint}
              onClick={() => void start(emptyDraft(type))}
            />
          ))}
        </SimpleGrid>
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Or start from a template
        </Title>
        <Text size="sm" c="dimmed">
          Choose your connections in it first: missing ones are listed as problems.
        </Text>
        <SimpleGrid cols={{ base: 1, md: 3 }}>
          {TEMPLATES.map(({ title, hint, draft }) => (
            <Choice key={title} title={title} hint={hint} onClick={() => void start(draft)} />
          ))}
        </SimpleGrid>
      </Stack>
    </Page>
  );
}

const discarding = (name: string) => ({
  title: `Discard “${name}”?`,
  body: "This new workflow was never saved, and this browser keeps only one such workflow. To keep both, continue editing it and save it first.",
  confirmLabel: "Discard",
  keepLabel: "Keep it",
  danger: true,
});

function Choice(props: { icon?: ReactNode; title: string; hint: string; onClick: () => void }) {
  return (
    <UnstyledButton className={classes["choice"] ?? ""} onClick={props.onClick}>
      {props.icon}
      <Text fw={600}>{props.title}</Text>
      <Text size="sm" c="dimmed">
        {props.hint}
      </Text>
    </UnstyledButton>
  );
}
