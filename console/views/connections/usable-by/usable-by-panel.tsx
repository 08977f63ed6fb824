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

/** Who may use a connection, and a button to change it for people with the permission. */
export function UsableByPanel({ connection }: { connection: ConnectionView }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayChange = [useCan("connections:write"), useCan("credentials:write")].every(Boolean);
  const { usableBy } = connection;
  return (
    <Panel
      title="Who may use it"
      beside={
        mayChange ? (
          <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
            Change who may use it
          </Button>
        ) : null
      }
    >
      {usableBy === null ? <Text size="sm">Everyone who may edit workflows.</Text> : <Named usableBy={usableBy} />}
      {isOpen ? <ChangeUsableBy connection={connection} close={() => setIsOpen(false)} /> : null}
    </Panel>
  );
}

function Named({ usableBy: { people, roles, workflows } }: { usableBy: UsableBy }) {
  const [persons, names] = [usePeople(), useWorkflowNames()];
  const isEmpty = people.length + roles.length + workflows.length === 0;
  const facts: [string, ReactNode][] = [
    ["People", <Lines key="people" lines={people.map((id) => nameOf(id, persons))} />],
    ["Roles", <Lines key="roles" lines={roles} />],
    [
      "Workflows",
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
      {isEmpty ? <Text size="sm">No one. No workflow may use it.</Text> : <Facts facts={facts} />}
      <Text size="xs" c="dimmed">
        A workflow may use the connection when it is named here, or when one of these people published it.
      </Text>
    </Stack>
  );
}

function Lines({ lines }: { lines: readonly ReactNode[] }) {
  if (lines.length === 0) {
    return (
      <Text size="sm" component="span" c="dimmed">
        none
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
