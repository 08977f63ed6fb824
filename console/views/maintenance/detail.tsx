import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { useRead } from "../../api/queries.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { maintenance } from "../../strings/en/maintenance.ts";
import { confirm } from "../../ui/confirm.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Page } from "../../ui/page.tsx";
import { ReadState } from "../../ui/states.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { AppliesTo } from "./applies-to.tsx";
import { StateBadge, WINDOWS } from "./list.tsx";
import { SuppressedRuns } from "./suppressed-runs.tsx";
import { WindowForm } from "./window-form.tsx";

const text = maintenance.detail;
const WINDOW = "/api/v1/automation/maintenance-windows/{id}";
const REFRESHES = [WINDOWS, WINDOW, OVERVIEW] as const;
/** The clock of the service is known to about this time, and an end in the future would not be one. */
const CLOCKS_APART_MS = 5_000;
const ABOVE = [{ label: maintenance.title, href: "/maintenance" }];

/** One maintenance window, and what it suppressed. */
export default function MaintenanceDetail({ params }: { params: Record<string, string | undefined> }) {
  const id = params["id"] ?? "";
  const read = useRead(WINDOW, { path: { id } }, { everyMs: 15_000 });
  const mayChange = useCan("automation:execute");
  return (
    <Page
      title={read.data?.name ?? maintenance.title}
      above={ABOVE}
      actions={read.data !== undefined && mayChange ? <Actions window={read.data} /> : null}
    >
      <ReadState read={read} what={text.what(id)}>
        {(window) => (
          <Stack gap="xl">
            <Facts
              facts={[
                [common.status, <StateBadge key="state" state={window.state} />],
                [maintenance.list.mode, maintenance.modes[window.mode]],
                [maintenance.list.appliesTo, <AppliesTo key="to" window={window} />],
                [maintenance.list.starts, <TimeInFull key="from" at={window.startsAt} />],
                [maintenance.list.ends, <TimeInFull key="until" at={window.endsAt} />],
                ...(window.reason === null ? [] : [[maintenance.form.reason, window.reason] as const]),
              ]}
            />
            <SuppressedRuns windowId={window.id} />
          </Stack>
        )}
      </ReadState>
    </Page>
  );
}

function Actions({ window }: { window: MaintenanceWindowView }) {
  const { id, revision: ifMatch } = window;
  const [, navigate] = useLocation();
  const [editing, setEditing] = useState(false);
  const end = useToastMutation(
    () => {
      const { name, reason, startsAt, mode, everything, workflowIds, tags, services } = window;
      const lists = everything ? {} : { workflowIds, tags, services };
      const endsAt = new Date(Math.max(Date.parse(startsAt) + 1, serviceNow() - CLOCKS_APART_MS)).toISOString();
      const body = { name, reason, startsAt, endsAt, mode, everything, ...lists };
      return call("PUT", WINDOW, { path: { id }, body }, { ifMatch });
    },
    { done: () => text.ended, failed: text.notEnded, refreshes: REFRESHES },
  );
  const remove = useToastMutation(() => call("DELETE", WINDOW, { path: { id } }, { ifMatch }), {
    done: () => text.deleted,
    failed: text.notDeleted,
    refreshes: [WINDOWS, OVERVIEW],
  });
  const askToEnd = async () => {
    const { title, body, confirm: confirmLabel, keep } = text.confirmEnd;
    if (await confirm({ title, body, confirmLabel, keepLabel: keep })) await end.run(undefined);
  };
  const askToDelete = async () => {
    const { title, body, confirm: confirmLabel, keep } = text.confirmDelete;
    const sure = await confirm({ title, body, confirmLabel, keepLabel: keep, danger: true });
    if (sure && (await remove.run(undefined))) navigate("/maintenance");
  };
  return (
    <Group gap="xs">
      {window.state === "open" ? (
        <Button onClick={() => void askToEnd()} loading={end.isPending}>
          {text.endNow}
        </Button>
      ) : null}
      <Button variant="default" onClick={() => setEditing(true)}>
        {common.edit}
      </Button>
      <Button variant="default" onClick={() => void askToDelete()} loading={remove.isPending}>
        {common.delete}
      </Button>
      {editing ? <WindowForm window={window} close={() => setEditing(false)} /> : null}
    </Group>
  );
}
