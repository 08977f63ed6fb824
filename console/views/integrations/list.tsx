import { Button, Code, Group, List, Modal, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { IntegrationView } from "../../../schema/contract/integration.ts";
import { call } from "../../api/client.ts";
import { useAll } from "../../api/use-all.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { integrations } from "../../strings/en/integrations.ts";
import { ACTIONS, ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { CreateIntegration } from "./create-integration.tsx";
import { EditIntegration } from "./edit-integration.tsx";
import { TestEvent } from "./test-event.tsx";

const text = integrations.list;

/** The URLs to which other systems deliver their alerts. */
export default function View() {
  const all = useAll("/api/v1/automation/integrations", { query: { limit: 200 } }, { everyMs: 30_000 });
  const mayWrite = useCan("admin");
  const [creating, setCreating] = useDialogInUrl("create");
  return (
    <Page
      title={common.integrations}
      description={text.description}
      actions={
        mayWrite ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        ) : null
      }
    >
      <ReadState read={{ ...all, data: all.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={text.none.title}>
              {text.none.what} {mayWrite ? text.none.create : text.none.ask}
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
  const [open, setOpen] = useState<{ dialog: Dialog; integration: IntegrationView } | null>(null);
  const close = () => setOpen(null);
  const columns: readonly Column<IntegrationView>[] = [
    {
      name: text.integration,
      isLong: true,
      onCard: "title",
      cell: ({ name, kind }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {integrations.kinds[kind].label}
          </Text>
        </Stack>
      ),
    },
    {
      name: text.url,
      isLong: true,
      onCard: "below",
      cell: ({ kind }) => <Code>{`…/api/v1/integrations/${kind}/••••`}</Code>,
    },
    { name: common.created, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
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
      <ListTable label={common.integrations} rows={items} columns={columns} keyOf={({ id }) => id} minWidth={720} />
      <Text size="xs" c="dimmed">
        {text.dots}
      </Text>
      {open?.dialog === "edit" ? <EditIntegration integration={open.integration} onClose={close} /> : null}
      {open?.dialog === "test" ? (
        <Modal opened onClose={close} title={text.test(open.integration.name)} size="lg">
          <TestEvent kind={open.integration.kind} url={null} />
        </Modal>
      ) : null}
      {open?.dialog === "delete" ? <DeleteIntegration integration={open.integration} onClose={close} /> : null}
    </>
  );
}

type Dialog = "edit" | "test" | "delete";

function Buttons({ name, open }: { name: string; open: (dialog: Dialog) => void }) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button size="xs" variant="default" aria-label={text.edit(name)} onClick={() => open("edit")}>
        {common.edit}
      </Button>
      <Button size="xs" variant="default" aria-label={text.test(name)} onClick={() => open("test")}>
        {common.test}
      </Button>
      <Button size="xs" variant="default" color="red" aria-label={text.delete(name)} onClick={() => open("delete")}>
        {common.delete}
      </Button>
    </Group>
  );
}

/** Deletes an integration after a warning about the effects. */
function DeleteIntegration({ integration, onClose }: { integration: IntegrationView; onClose: () => void }) {
  const { id, name } = integration;
  const { title, effect, events, open, keep, done, failed } = integrations.remove;
  const remove = useToastMutation(() => call("DELETE", "/api/v1/automation/integrations/{id}", { path: { id } }), {
    done: () => done(name),
    failed: failed(name),
    refreshes: ["/api/v1/automation/integrations"],
  });
  return (
    <Modal opened onClose={onClose} title={title(name)}>
      <Stack gap="sm">
        <Text size="sm">{effect}</Text>
        <List size="sm" spacing={4}>
          <List.Item>{events}</List.Item>
          <List.Item>{open}</List.Item>
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {keep}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => void remove.run(undefined).then(onClose)}>
            {common.delete}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
