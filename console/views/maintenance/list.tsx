import { Anchor, Badge, Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { Link } from "wouter";
import type { MaintenanceState, MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { useList } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { maintenance } from "../../strings/en/maintenance.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { AppliesTo } from "./applies-to.tsx";
import { WindowForm } from "./window-form.tsx";

const text = maintenance.list;
export const WINDOWS = "/api/v1/automation/maintenance-windows";
const COLORS = { planned: "blue", open: "yellow", ended: "gray" } as const satisfies Record<MaintenanceState, string>;

const COLUMNS: readonly Column<MaintenanceWindowView>[] = [
  {
    name: common.name,
    isLong: true,
    onCard: "title",
    cell: ({ id, name }) => (
      <Anchor component={Link} href={pageOf({ id })} fw={600}>
        {name}
      </Anchor>
    ),
  },
  { name: common.status, onCard: "beside", cell: ({ state }) => <StateBadge state={state} /> },
  { name: text.appliesTo, isLong: true, cell: (window) => <AppliesTo window={window} /> },
  { name: text.mode, isLong: true, cell: ({ mode }) => maintenance.modes[mode] },
  { name: text.starts, cell: ({ startsAt }) => <TimeInFull at={startsAt} /> },
  { name: text.ends, cell: ({ endsAt }) => <TimeInFull at={endsAt} /> },
];

/** The maintenance windows, newest first. */
export default function MaintenanceList() {
  const list = useList(WINDOWS, { query: { limit: 100 } }, { everyMs: 30_000 });
  const mayChange = useCan("automation:execute");
  const [creating, setCreating] = useDialogInUrl("create");
  return (
    <Page
      title={maintenance.title}
      description={text.description}
      actions={
        mayChange ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        ) : null
      }
    >
      <ReadState read={{ ...list, data: list.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={text.none.title}>{text.none.help}</EmptyState>
          ) : (
            <ListTable
              label={maintenance.title}
              rows={items}
              columns={COLUMNS}
              keyOf={({ id }) => id}
              hrefOf={pageOf}
              minWidth={960}
            />
          )
        }
      </ReadState>
      <LoadMore list={list} />
      {creating && mayChange ? <WindowForm window={null} close={() => setCreating(false)} /> : null}
    </Page>
  );
}

export function StateBadge({ state }: { state: MaintenanceState }) {
  return (
    <Badge color={COLORS[state]} variant="light" radius="sm" tt="none">
      {maintenance.states[state]}
    </Badge>
  );
}

function pageOf({ id }: Pick<MaintenanceWindowView, "id">): string {
  return `/maintenance/${id}`;
}
