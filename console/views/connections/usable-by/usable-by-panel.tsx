import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { UsableBy } from "../../../../schema/contract/usable-by.ts";
import { useCan } from "../../../app/session.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { ChangeUsableBy } from "./change-usable-by.tsx";
import { nameOf, usePeople, useWorkflowNames } from "./use-people.ts";
import { common } from "../../../strings/en/common.ts";
import { connections } from "../../../strings/en/connections.ts";

const text = connections.usableBy;

/** Who may use a connection, and a button to change it for people with the permission. */
export function UsableByPanel({ connection }: { connection: ConnectionView }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayChange = [useCan("connections:write"), useCan("credentials:write")].every(Boolean);
  const { usableBy } = connection;
  return (
    <Panel
      title={text.title}
      beside={
        mayChange ? (
          <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
            {text.change}
          </Button>
        ) : null
      }
    >
      {usableBy === null ? <Text size="sm">{text.everyone}</Text> : <Named usableBy={usableBy} />}
      {isOpen ? <ChangeUsableBy connection={connection} close={() => setIsOpen(false)} /> : null}
    </Panel>
  );
}

function Named({ usableBy: { people, roles, workflows } }: { usableBy: UsableBy }) {
  const [persons, names] = [usePeople(), useWorkflowNames()];
  const isEmpty = people.length + roles.length + workflows.length === 0;
  const facts: [string, ReactNode][] = [
    [text.people, <Lines key="people" lines={people.map((id) => nameOf(id, persons))} />],
    [text.roles, <Lines key="roles" lines={roles} />],
    [
      common.workflows,
      <Lines
        key="workflows"
        lines={workflows.map((id) =>
          names.byId.has(id) ? (
            <Anchor key={id} component={Link} href={`/workflows/${id}`} inherit>
              {nameOf(id, names)}
            </Anchor>
          ) : (
            nameOf(id, names)
          ),
        )}
      />,
    ],
  ];
  return (
    <Stack gap="xs">
      {isEmpty ? <Text size="sm">{text.noOne}</Text> : <Facts facts={facts} />}
      <Text size="xs" c="dimmed">
        {text.rule}
      </Text>
    </Stack>
  );
}

function Lines({ lines }: { lines: readonly ReactNode[] }) {
  if (lines.length === 0) {
    return (
      <Text size="sm" component="span" c="dimmed">
        {common.none}
      </Text>
    );
  }
  return (
    <Stack gap={2}>
      {lines.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they are only shown
        <Text key={index} size="sm" component="span" style={{ overflowWrap: "anywhere" }}>
          {line}
        </Text>
      ))}
    </Stack>
  );
}
