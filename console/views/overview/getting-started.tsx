import { Anchor, List, Text, ThemeIcon } from "@mantine/core";
import { IconCheck, IconCircleDashed } from "@tabler/icons-react";
import { Link } from "wouter";
import type { Permission } from "../../../schema/contract/people.ts";
import { useCan } from "../../app/session.tsx";
import { Section } from "./section.tsx";

/** The set-up steps of a new deployment, and which of them are done. */
export interface Steps {
  agent: boolean;
  connection: boolean;
  workflow: boolean;
}

export function GettingStarted({ steps }: { steps: Steps }) {
  return (
    <Section title="First steps">
      <Text size="sm" mb="sm">
        Agents inside your network run the steps of your workflows, over connections to your systems.
      </Text>
      <List spacing="sm" center={false} size="sm">
        <Step
          isDone={steps.agent}
          label="Create an agent"
          href="/agents"
          permission="agents:write"
          who="an administrator"
          why="It connects to this service, so you do not open a port. Its page shows how to install it."
        />
        <Step
          isDone={steps.connection}
          label="Create a connection"
          href="/connections"
          permission="connections:write"
          who="an editor"
          why="A host, an API or a database, and the agents that reach it. Its secrets stay with those agents."
        />
        <Step
          isDone={steps.workflow}
          label="Create a workflow"
          href="/workflows/new"
          permission="automation:write"
          who="an editor"
          why="The steps, and what starts them: an alert, a schedule or a person."
        />
      </List>
    </Section>
  );
}

function Step(props: {
  isDone: boolean;
  label: string;
  href: string;
  permission: Permission;
  who: string;
  why: string;
}) {
  const { isDone, label, href, permission, who, why } = props;
  const may = useCan(permission);
  return (
    <List.Item
      icon={
        <ThemeIcon color={isDone ? "teal" : "gray"} variant="light" radius="xl" size={24} aria-hidden>
          {isDone ? <IconCheck size={16} /> : <IconCircleDashed size={16} />}
        </ThemeIcon>
      }
    >
      {may && !isDone ? (
        <Anchor component={Link} href={href} fw={500} size="sm">
          {label}
        </Anchor>
      ) : (
        <Text component="span" size="sm" fw={500}>
          {label}
        </Text>
      )}
      {isDone ? (
        <Text component="span" size="sm" c="dimmed">
          {" "}
          (done)
        </Text>
      ) : null}
      <Text size="sm" c="dimmed">
        {why}
        {may || isDone ? "" : ` Your role does not allow this: ask ${who}.`}
      </Text>
    </List.Item>
  );
}
