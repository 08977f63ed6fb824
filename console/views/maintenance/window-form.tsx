import { MultiSelect, NativeSelect, SimpleGrid, Switch, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import type { MaintenanceMode, MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { keysOf } from "../../../schema/contract/records.ts";
import { MAINTENANCE_WINDOW_MAX_MS, PAGE_SIZE_MAX } from "../../../schema/limits.ts";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { useAction } from "../../api/queries.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { useAll } from "../../api/use-all.ts";
import { useWorkflowTags } from "../../api/use-workflow-tags.ts";
import { common } from "../../strings/en/common.ts";
import { maintenance } from "../../strings/en/maintenance.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { toastSuccess } from "../../ui/toast.tsx";
import { fromLocalInput, toLocalInput } from "../settings/audit/filters.ts";

const text = maintenance.form;
const WINDOWS = "/api/v1/automation/maintenance-windows";
const WINDOW = "/api/v1/automation/maintenance-windows/{id}";
const MODES = keysOf(maintenance.modes);
const MINUTE_MS = 60_000;
const HOURS_AT_FIRST = 2;

type Given = Pick<
  MaintenanceWindowView,
  "name" | "reason" | "startsAt" | "endsAt" | "mode" | "everything" | "workflowIds" | "tags" | "services"
>;

/** The form of a new window, or of the one that is changed. */
export function WindowForm({ window, close }: { window: MaintenanceWindowView | null; close: () => void }) {
  const [given, setGiven] = useState<Given>(() => window ?? emptyWindow());
  // The page reads the window again meanwhile; the fields are those of this revision.
  const [ifMatch] = useState(window?.revision);
  const change = (part: Partial<typeof given>) => setGiven({ ...given, ...part });
  const all = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE_MAX } });
  const workflows = all.items ?? [];
  const known = useWorkflowTags();
  const save = useAction(
    (_: undefined, options) => {
      const { name, reason, startsAt, endsAt, mode, everything } = given;
      const lists = everything ? {} : { workflowIds: given.workflowIds, tags: given.tags, services: given.services };
      const body = { name, reason, startsAt, endsAt, mode, everything, ...lists };
      return window === null
        ? call("POST", WINDOWS, { body }, options)
        : call("PUT", WINDOW, { path: { id: window.id }, body }, { ifMatch });
    },
    {
      refreshes: [WINDOWS, WINDOW, OVERVIEW],
      onDone: () => {
        toastSuccess(window === null ? text.created : text.saved);
        close();
      },
    },
  );
  const errors = useFieldErrors(save.error, {
    ...given,
    everything: [given.everything, given.workflowIds, given.tags, given.services],
  });
  const error = errors.of;
  const ids = [...new Set([...workflows.map(({ id }) => id), ...given.workflowIds])];
  const nameOf = (id: string) => workflows.find((workflow) => workflow.id === id)?.name ?? id;
  return (
    <DialogForm
      title={window === null ? text.create : text.edit}
      submitLabel={window === null ? text.submitCreate : common.save}
      close={close}
      submit={() => save.mutate(undefined)}
      isPending={save.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        required
        data-autofocus
        value={given.name}
        error={error("name")}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextInput
        label={text.reason}
        description={text.reasonHint}
        value={given.reason ?? ""}
        error={error("reason")}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          type="datetime-local"
          label={text.starts}
          required
          value={toLocalInput(given.startsAt)}
          error={error("startsAt")}
          onChange={(event) => change({ startsAt: fromLocalInput(event.currentTarget.value, "from") })}
        />
        <TextInput
          type="datetime-local"
          label={text.ends}
          required
          value={toLocalInput(given.endsAt)}
          error={endsProblem(given) ?? error("endsAt")}
          onChange={(event) => change({ endsAt: fromLocalInput(event.currentTarget.value, "from") })}
        />
      </SimpleGrid>
      <NativeSelect
        label={text.mode}
        data={MODES.map((value) => ({ value, label: maintenance.modes[value] }))}
        value={given.mode}
        error={error("mode")}
        onChange={(event) => change({ mode: modeOf(event.currentTarget.value) })}
      />
      <Switch
        label={text.everything}
        checked={given.everything}
        error={error("everything") === undefined ? undefined : text.nothing}
        onChange={(event) => change({ everything: event.currentTarget.checked })}
      />
      {given.everything ? null : (
        <>
          <MultiSelect
            label={text.workflows}
            data={ids.map((value) => ({ value, label: nameOf(value) }))}
            value={given.workflowIds}
            error={error("workflowIds")}
            searchable
            onChange={(workflowIds) => change({ workflowIds })}
          />
          <TagsInput
            label={text.tags}
            data={known.tags}
            value={given.tags}
            error={error("tags")}
            onChange={(tags) => change({ tags })}
          />
          <TagsInput
            label={text.services}
            description={text.servicesHint}
            value={given.services}
            error={error("services")}
            onChange={(services) => change({ services })}
          />
        </>
      )}
    </DialogForm>
  );
}

/** What is wrong with the end beside the start; null while one of them is empty. */
function endsProblem({ startsAt, endsAt }: Given): string | null {
  const spanMs = Date.parse(endsAt) - Date.parse(startsAt);
  if (spanMs <= 0) return text.endsAfter;
  return spanMs > MAINTENANCE_WINDOW_MAX_MS ? text.endsWithin(MAINTENANCE_WINDOW_MAX_MS) : null;
}

function modeOf(value: string): MaintenanceMode {
  return MODES.find((mode) => mode === value) ?? "hold";
}

function emptyWindow(): Given {
  const now = Math.floor(serviceNow() / MINUTE_MS) * MINUTE_MS;
  return {
    name: "",
    reason: null,
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + HOURS_AT_FIRST * 60 * MINUTE_MS).toISOString(),
    mode: "hold",
    everything: false,
    workflowIds: [],
    tags: [],
    services: [],
  };
}
