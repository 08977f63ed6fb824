import { SimpleGrid, Stack, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import { IconBell, IconCalendarTime, IconHandClick, IconWebhook } from "@tabler/icons-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useCan } from "../../app/session.tsx";
import { Page } from "../../ui/page.tsx";
import { NoPermission } from "../../ui/states.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import type { Draft } from "./model/commands.ts";
import { TRIGGER_LABELS } from "./model/trigger.ts";
import { useCreateDraft } from "../workflows/mutations.ts";
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
  const [, navigate] = useLocation();
  const create = useCreateDraft();
  const [name, setName] = useState("");
  if (!allowed) {
    return (
      <Page title="New workflow" above={[{ label: "Workflows", href: "/workflows" }]}>
        <NoPermission>Your role does not allow creating workflows.</NoPermission>
      </Page>
    );
  }
  const start = (next: Draft) =>
    create.mutate(
      { ...next, name: name.trim() === "" ? next.name : name.trim() },
      {
        onSuccess: ({ id }) => navigate(`/workflows/${id}/edit`, { replace: true }),
        onError: (error) => toastFailure("The workflow was not created", error),
      },
    );
  return (
    <Page title="New workflow" above={[{ label: "Workflows", href: "/workflows" }]}>
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
              disabled={create.isPending}
              onClick={() => start(emptyDraft(type))}
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
            <Choice key={title} title={title} hint={hint} disabled={create.isPending} onClick={() => start(draft)} />
          ))}
        </SimpleGrid>
      </Stack>
    </Page>
  );
}

function Choice(props: { icon?: ReactNode; title: string; hint: string; disabled: boolean; onClick: () => void }) {
  return (
    <UnstyledButton className={classes["choice"] ?? ""} disabled={props.disabled} onClick={props.onClick}>
      {props.icon}
      <Text fw={600}>{props.title}</Text>
      <Text size="sm" c="dimmed">
        {props.hint}
      </Text>
    </UnstyledButton>
  );
}
