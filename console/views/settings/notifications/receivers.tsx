import { Badge, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { NotificationReceiverView, ReceiverTest } from "../../../../schema/contract/notification-receiver.ts";
import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { call } from "../../../api/client.ts";
import { useAll } from "../../../api/use-all.ts";
import { useCan } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { receivers as text } from "../../../strings/en/notification-channels.ts";
import { DeleteButton } from "../../../ui/delete-button.tsx";
import { ListSection } from "../../../ui/list-section.tsx";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { ReceiverForm } from "./receiver-form.tsx";
import { TestButton } from "./test-button.tsx";

const LIST = "/api/v1/automation/notification-receivers";

type Open =
  | { dialog: "create" }
  | { dialog: "edit"; receiver: NotificationReceiverView }
  | { dialog: "tested"; receiver: NotificationReceiverView; test: ReceiverTest };

/** The places to which rules send. */
export function Receivers() {
  const all = useAll(LIST, { query: { limit: PAGE_SIZE_MAX } });
  const mayWrite = useCan("admin");
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <ListSection text={text} list={all} onCreate={mayWrite ? () => setOpen({ dialog: "create" }) : null}>
        {(items) => (
          <ListTable
            label={text.title}
            rows={items}
            columns={columnsOf(mayWrite, setOpen)}
            keyOf={({ id }) => id}
            minWidth={680}
          />
        )}
      </ListSection>
      {open?.dialog === "create" ? <ReceiverForm receiver={null} close={close} /> : null}
      {open?.dialog === "edit" ? <ReceiverForm receiver={open.receiver} close={close} /> : null}
      {open?.dialog === "tested" ? <TestResult name={open.receiver.name} test={open.test} close={close} /> : null}
    </>
  );
}

function columnsOf(mayWrite: boolean, open: (dialog: Open) => void): readonly Column<NotificationReceiverView>[] {
  const shown: readonly Column<NotificationReceiverView>[] = [
    { name: common.name, isLong: true, onCard: "title", cell: ({ name }) => <Text size="sm">{name}</Text> },
    { name: text.type, cell: ({ type }) => text.types[type] },
    {
      name: text.to,
      isLong: true,
      cell: ({ toShown }) => (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {toShown}
        </Text>
      ),
    },
  ];
  if (!mayWrite) return shown;
  return [
    ...shown,
    { name: ACTIONS, onCard: "below", cell: (receiver) => <Buttons receiver={receiver} open={open} /> },
  ];
}

function Buttons({ receiver, open }: { receiver: NotificationReceiverView; open: (dialog: Open) => void }) {
  const { id, name } = receiver;
  const path = { id };
  return (
    <Group gap="xs" justify="flex-end">
      <TestButton
        text={text}
        name={name}
        perform={() => call("POST", `${LIST}/{id}/test`, { path })}
        onDone={(test) => open({ dialog: "tested", receiver, test })}
      />
      <Button
        size="xs"
        variant="default"
        aria-label={text.edit(name)}
        onClick={() => open({ dialog: "edit", receiver })}
      >
        {common.edit}
      </Button>
      <DeleteButton
        name={name}
        effect={text.deleteEffect}
        perform={() => call("DELETE", `${LIST}/{id}`, { path })}
        list={LIST}
      />
    </Group>
  );
}

function TestResult({ name, test, close }: { name: string; test: ReceiverTest; close: () => void }) {
  const { ok, error, detail } = test;
  return (
    <Modal opened onClose={close} title={text.tested.title(name)}>
      <Stack gap="sm" align="flex-start">
        <Badge color={ok ? "teal" : "red"} variant="light" radius="sm" tt="none">
          {ok ? text.tested.sent : text.tested.notSent}
        </Badge>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {error === null ? text.tested.accepted : error.message}
        </Text>
        {ok && detail !== "" ? (
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {text.tested.answer}: {detail}
          </Text>
        ) : null}
      </Stack>
    </Modal>
  );
}
