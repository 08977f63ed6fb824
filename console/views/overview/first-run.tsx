import { Anchor, Button, CloseButton, Group, Paper, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useEffect, useEffectEvent } from "react";
import { Link, useLocation } from "wouter";
import type { Overview } from "../../../schema/contract/overview.ts";
import { useList } from "../../api/queries.ts";
import { useMe } from "../../app/session.tsx";
import { firstRun as text } from "../../strings/en/first-run.ts";
import { toastFailure } from "../../ui/toast.tsx";
import { helloDraft } from "../designer/templates.ts";
import { useCreateDraft } from "../workflows/mutations.ts";
import { firstRunSteps } from "./first-run-steps.ts";
import type { FirstRunStep, StepName } from "./first-run-steps.ts";
import { useDismissed } from "./dismissed.ts";
import { Section } from "./section.tsx";

const DISMISSED = "first-run";
/** This person has seen the guide, and so sees its end. */
const SEEN = "first-run-seen";

type Guide =
  | { steps: FirstRunStep[]; connectionId: string | undefined; workflowId: string | undefined; hide: () => void }
  /** The first run succeeded. */
  | { steps: null; workflowId: string; hide: () => void };

/**
 * What the guide shows, up to its last line after the first green execution. Null without a guide: the deployment had
 * that execution before this person came, or the person has closed the guide.
 */
export function useFirstRun(overview: Overview): Guide | null {
  const { permissions } = useMe();
  const { dismissed, dismiss } = useDismissed();
  const isWanted = !dismissed.has(DISMISSED) && permissions.includes("automation:execute");
  // Only this person's own actions change these lists, and each action has them read again.
  const succeeded = useList(
    "/api/v1/automation/executions",
    { query: { status: "succeeded", limit: 1 } },
    { enabled: isWanted },
  );
  const isNew = isWanted && succeeded.items?.length === 0;
  const connections = useList("/api/v1/automation/connections", { query: { limit: 100 } }, { enabled: isNew });
  const workflows = useList("/api/v1/automation/workflows", { query: { limit: 200 } }, { enabled: isNew });
  const isUnseen = isNew && !dismissed.has(SEEN);
  const see = useEffectEvent(() => dismiss(SEEN));
  useEffect(() => {
    if (isUnseen) see();
  }, [isUnseen]);
  const hide = () => dismiss(DISMISSED);
  const [green] = succeeded.items ?? [];
  if (isWanted && green !== undefined && dismissed.has(SEEN))
    return { steps: null, workflowId: green.workflowId, hide };
  if (!isNew || connections.items === undefined || workflows.items === undefined) return null;
  const connection = connections.items.find(({ type, enabled }) => type === "script" && enabled);
  const workflow = workflows.items.find(({ published }) => published) ?? workflows.items[0];
  const steps = firstRunSteps(
    {
      hasAgent: overview.setUp.hasAgent,
      isOnline: overview.agents.counts.online + overview.agents.counts.degraded > 0,
      hasConnection: connection !== undefined,
      hasWorkflow: workflow !== undefined,
      isPublished: workflow?.published ?? false,
      hasSucceeded: false,
    },
    permissions,
  );
  return { steps, connectionId: connection?.id, workflowId: workflow?.id, hide };
}

/** Leads through a new deployment to its first green execution, and then says what comes next. */
export function FirstRun({ guide }: { guide: Guide }) {
  return guide.steps === null ? <Completed {...guide} /> : <Steps {...guide} />;
}

function Completed({ workflowId, hide }: Extract<Guide, { steps: null }>) {
  const link = (href: string, label: string) => (
    <Anchor component={Link} href={href} inherit underline="always">
      {label}
    </Anchor>
  );
  return (
    <Paper component="section" withBorder p="md" aria-label={text.completed.label}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">
          {text.completed.line(
            link(`/workflows/${workflowId}`, text.completed.trigger),
            link("/connections/new", text.completed.connection),
          )}
        </Text>
        <CloseButton aria-label={text.completed.close} onClick={hide} />
      </Group>
    </Paper>
  );
}

function Steps({ steps, connectionId, workflowId, hide }: Exclude<Guide, { steps: null }>) {
  const next = steps.find(({ isDone }) => !isDone);
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Section
      title={text.title}
      aside={
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {text.progress(done, steps.length)}
          </Text>
          <CloseButton aria-label={text.dismiss} onClick={hide} />
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text.intro}
        </Text>
        <Stack gap="xs" component="ol" m={0} p={0}>
          {steps.map(({ name, isDone }, index) => (
            <Group
              key={name}
              component="li"
              gap="sm"
              align="flex-start"
              wrap="nowrap"
              aria-current={next?.name === name ? "step" : undefined}
            >
              <ThemeIcon radius="xl" size="sm" color={isDone ? "teal" : "gray"} variant={isDone ? "filled" : "light"}>
                {isDone ? <IconCheck size={14} aria-label={text.done} /> : <span>{index + 1}</span>}
              </ThemeIcon>
              <div>
                <Text size="sm" fw={next?.name === name ? 600 : 400}>
                  {text.steps[name].title}
                </Text>
                {next?.name === name ? (
                  <Stack gap={4} align="flex-start">
                    <Text size="sm" c="dimmed">
                      {text.steps[name].hint}
                    </Text>
                    <Action name={name} connectionId={connectionId} workflowId={workflowId} />
                  </Stack>
                ) : null}
              </div>
            </Group>
          ))}
        </Stack>
      </Stack>
    </Section>
  );
}

interface ActionProps {
  name: StepName;
  connectionId: string | undefined;
  workflowId: string | undefined;
}

function Action({ name, connectionId, workflowId = "" }: ActionProps) {
  const [, navigate] = useLocation();
  const create = useCreateDraft();
  const label = text.steps[name].action;
  if (name === "workflow") {
    const start = () =>
      create.mutate(helloDraft(connectionId), {
        onSuccess: ({ id }) => navigate(`/workflows/${id}`),
        onError: (error) => toastFailure(text.notCreated, error),
      });
    return (
      <Button size="xs" loading={create.isPending} onClick={start}>
        {label}
      </Button>
    );
  }
  const href = {
    agent: "/agents?open=create",
    online: "/agents",
    connection: "/connections/new?type=script",
    publish: `/workflows/${workflowId}`,
    run: `/workflows/${workflowId}?open=run`,
  }[name];
  return (
    <Button size="xs" component={Link} href={href}>
      {label}
    </Button>
  );
}
