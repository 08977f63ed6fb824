import { SimpleGrid, Stack, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconBell, IconCalendarTime, IconHandClick, IconWebhook } from "@tabler/icons-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useCan } from "../../app/session.tsx";
import { Page } from "../../ui/page.tsx";
import { NoPermission } from "../../ui/states.tsx";
import { toastFailure } from "../../ui/toast.tsx";
import type { Draft } from "./model/commands.ts";
import { useCreateDraft } from "../workflows/mutations.ts";
import { TEMPLATES, emptyDraft } from "./templates.ts";
import { designerNew as text } from "../../strings/en/designer-new.ts";
import { common } from "../../strings/en/common.ts";
import classes from "./new.module.css";

const TRIGGERS = [
  { type: "webhook", icon: IconWebhook },
  { type: "incident", icon: IconBell },
  { type: "cron", icon: IconCalendarTime },
  { type: "manual", icon: IconHandClick },
  { type: "failure", icon: IconAlertTriangle },
] as const;

/** /workflows/new: asks for the name and the trigger, or offers a template. */
export default function New() {
  const allowed = useCan("automation:write");
  const [, navigate] = useLocation();
  const create = useCreateDraft();
  const [name, setName] = useState("");
  if (!allowed) {
    return (
      <Page title={text.title} above={[{ label: common.workflows, href: "/workflows" }]}>
        <NoPermission>{text.notAllowed}</NoPermission>
      </Page>
    );
  }
  const start = (next: Draft) =>
    create.mutate(
      { ...next, name: name.trim() === "" ? next.name : name.trim() },
      {
        onSuccess: ({ id }) => navigate(`/workflows/${id}/edit`, { replace: true }),
        onError: (error) => toastFailure(text.notCreated, error),
      },
    );
  return (
    <Page title={text.title} above={[{ label: common.workflows, href: "/workflows" }]}>
      <TextInput
        label={common.name}
        placeholder={text.example}
        maw={480}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Stack gap="xs">
        <Title order={2} size="h4">
          {text.triggers.title}
        </Title>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }}>
          {TRIGGERS.map(({ type, icon: Icon }) => (
            <Choice
              key={type}
              icon={<Icon size={22} stroke={1.6} aria-hidden />}
              title={common.triggers[type]}
              hint={text.triggers.hints[type]}
              disabled={create.isPending}
              onClick={() => start(emptyDraft(type))}
            />
          ))}
        </SimpleGrid>
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {text.templates.title}
        </Title>
        <Text size="sm" c="dimmed">
          {text.templates.hint}
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
