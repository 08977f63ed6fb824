import { Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { IntegrationView } from "../../../schema/contract/integration.ts";
import { useAll } from "../../api/use-all.ts";
import { useCan } from "../../app/session.tsx";
import { ACTIONS, ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { CreateIntegration } from "./create-integration.tsx";
import { DeleteIntegration } from "./delete-integration.tsx";
import { KINDS } from "./kinds.ts";
import { TestEvent } from "./test-event.tsx";

/** The URLs to which other systems deliver their alerts. */
export default function View() {
  const integrations = useAll("/api/v1/automation/integrations", { query: { limit: 200 } }, { everyMs: 30_000 });
  const mayWrite = useCan("admin");
  const [creating, setCreating] = useDialogInUrl("create");
  return (
    <Page
      title="Integrations"
      description="URLs to which your alerting tools deliver events. Events become incidents, which can start workflows."
      actions={
        mayWrite ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            Create an integration
          </Button>
        ) : null
      }
    >
      <ReadState read={{ ...integrations, data: integrations.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title="No integrations yet">
              An integration is a URL with a key for one of your alerting tools: Alertmanager, any tool that uses
              PagerDuty's Events API, or CloudEvents.{" "}
              {mayWrite ? "Create one, and paste its configuration into the tool." : "An administrator can create one."}
            </EmptyState>
          ) : (
            <Integrations items={items} mayWrite={mayWrite} />
          )
        }
      </ReadState>
      {creating && mayWrite ? <CreateIntegration onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function Integrations({ items, mayWrite }: { items: readonly IntegrationView[]; mayWrite: boolean }) {
  const [open, setOpen] = useState<{ dialog: "test" | "delete"; integration: IntegrationView } | null>(null);
  const close = () => setOpen(null);
  const columns: readonly Column<IntegrationView>[] = [
    {
      name: "Integration",
      isLong: true,
      onCard: "title",
      cell: ({ name, kind }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {KINDS[kind].label}
          </Text>
        </Stack>
      ),
    },
    {
      name: "URL",
      isLong: true,
      onCard: "below",
      cell: ({ kind }) => <Code>{`…/api/v1/integrations/${kind}/••••`}</Code>,
    },
    { name: "Created", cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    ...(mayWrite
      ? [
          {
            name: ACTIONS,
            onCard: "below" as const,
            cell: (integration: IntegrationView) => (
              <Buttons name={integration.name} open={(dialog) => setOpen({ dialog, integration })} />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <ListTable label="Integrations" rows={items} columns={columns} keyOf={({ id }) => id} minWidth={720} />
      <Text size="xs" c="dimmed">
        The dots replace the key. Bellhop stores only its hash, so the full URL is shown only once, after the creation.
      </Text>
      {open?.dialog === "test" ? (
        <Modal opened onClose={close} title={`Test ${open.integration.name}`} size="lg">
          <TestEvent kind={open.integration.kind} url={null} />
        </Modal>
      ) : null}
      {open?.dialog === "delete" ? <DeleteIntegration integration={open.integration} onClose={close} /> : null}
    </>
  );
}

function Buttons({ name, open }: { name: string; open: (dialog: "test" | "delete") => void }) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="xs" variant="default" aria-label={`Test ${name}`} onClick={() => open("test")}>
        Test
      </Button>
      <Button size="xs" variant="default" color="red" aria-label={`Delete ${name}`} onClick={() => open("delete")}>
        Delete
      </Button>
    </Group>
  );
}
