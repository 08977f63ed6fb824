import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { LimitGroupView } from "../../../../schema/contract/limit-group.ts";
import { call } from "../../../api/client.ts";
import { useAll } from "../../../api/use-all.ts";
import { useCan } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { limits as text } from "../../../strings/en/limits.ts";
import { DeleteButton } from "../../../ui/delete-button.tsx";
import { ListSection } from "../../../ui/list-section.tsx";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { LimitForm } from "./limit-form.tsx";
import { LimitUsesDialog } from "./limit-uses-dialog.tsx";

const LIST = "/api/v1/automation/limits";

type Open = { dialog: "create" } | { dialog: "edit" | "uses"; limit: LimitGroupView };

/** The limits that workflows can name. */
export default function Limits() {
  const all = useAll(LIST, { query: { limit: 200 } });
  const mayWrite = useCan("connections:write");
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <ListSection text={text} list={all} onCreate={mayWrite ? () => setOpen({ dialog: "create" }) : null}>
        {(items) => <LimitTable items={items} mayWrite={mayWrite} open={setOpen} />}
      </ListSection>
      {open?.dialog === "create" ? <LimitForm limit={null} close={close} /> : null}
      {open?.dialog === "edit" ? <LimitForm limit={open.limit} close={close} /> : null}
      {open?.dialog === "uses" ? <LimitUsesDialog limit={open.limit} close={close} /> : null}
    </>
  );
}

interface LimitTableProps {
  items: readonly LimitGroupView[];
  mayWrite: boolean;
  open: (dialog: Open) => void;
}

function LimitTable({ items, mayWrite, open }: LimitTableProps) {
  const columns: readonly Column<LimitGroupView>[] = [
    { name: common.name, isLong: true, onCard: "title", cell: ({ name }) => <Text size="sm">{name}</Text> },
    { name: text.rule, cell: ({ maxRuns, periodSeconds }) => text.allows(maxRuns, periodSeconds) },
    { name: text.furtherRun, cell: ({ whenReached }) => text.whenReached[whenReached] },
    {
      name: ACTIONS,
      onCard: "below",
      cell: (limit) => <Buttons limit={limit} mayWrite={mayWrite} open={open} />,
    },
  ];
  return <ListTable label={text.fields.title} rows={items} columns={columns} keyOf={({ id }) => id} minWidth={680} />;
}

function Buttons({ limit, mayWrite, open }: { limit: LimitGroupView } & Pick<LimitTableProps, "mayWrite" | "open">) {
  const { id, name } = limit;
  const small = { size: "xs", variant: "default" } as const;
  return (
    <Group gap="xs" justify="flex-end">
      <Button {...small} aria-label={text.usesOf(name)} onClick={() => open({ dialog: "uses", limit })}>
        {text.showUses}
      </Button>
      {mayWrite ? (
        <>
          <Button {...small} aria-label={text.edit(name)} onClick={() => open({ dialog: "edit", limit })}>
            {common.edit}
          </Button>
          <DeleteButton
            name={name}
            effect={text.deleteEffect}
            perform={() => call("DELETE", `${LIST}/{id}`, { path: { id } })}
            list={LIST}
          />
        </>
      ) : null}
    </Group>
  );
}
