import { Button, Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useList } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { incidents as texts } from "../../strings/en/incidents.ts";
import { useIsNarrow } from "../../ui/list-table.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { CreateIncident } from "./create-incident.tsx";
import { SEVERITIES, STATUSES, filterOf, queryOf } from "./filter.ts";
import type { IncidentFilter } from "./filter.ts";
import { IncidentsTable } from "./incidents-table.tsx";

const text = texts.list;
const REFRESH_MS = 5_000;

/** The incidents, newest first. */
export default function View() {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const incidents = useList(
    "/api/v1/automation/incidents",
    { query: { ...filter, limit: 50 } },
    { everyMs: REFRESH_MS },
  );
  const mayWrite = useCan("incidents:write");
  const [creating, setCreating] = useDialogInUrl("create");
  const change = (part: { [Name in keyof IncidentFilter]?: string | undefined }) =>
    setParams(queryOf(filterOf(queryOf({ ...filter, ...part }))), { replace: true });
  const isNarrow = useIsNarrow();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page
      title={common.incidents}
      description={text.description}
      actions={
        mayWrite ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        ) : null
      }
    >
      <Group gap="xs">
        <SegmentedControl
          aria-label={common.status}
          size={isNarrow ? "xs" : "sm"}
          fullWidth={isNarrow}
          w={isNarrow ? "100%" : undefined}
          value={filter.status ?? ""}
          onChange={(status) => change({ status })}
          data={[
            { value: "", label: text.everyStatus },
            ...STATUSES.map((value) => ({ value, label: text.statuses[value] })),
          ]}
        />
        <Select
          aria-label={common.severity}
          placeholder={text.anySeverity}
          clearable
          w={160}
          value={filter.severity ?? null}
          onChange={(severity) => change({ severity: severity ?? undefined })}
          data={[...SEVERITIES]}
        />
        <ExactFilter name={texts.fields.service} value={filter.service} onChange={(service) => change({ service })} />
        <ExactFilter name={common.source} value={filter.source} onChange={(source) => change({ source })} />
      </Group>
      <ReadState read={{ ...incidents, data: incidents.items }}>
        {(items) =>
          items.length === 0 ? (
            isFiltered ? (
              <EmptyState
                title={text.noMatch}
                action={
                  <Button variant="default" onClick={() => setParams(new URLSearchParams(), { replace: true })}>
                    {common.showAll}
                  </Button>
                }
              />
            ) : (
              <EmptyState title={text.none.title}>{text.none.text}</EmptyState>
            )
          ) : (
            <>
              <IncidentsTable incidents={items} />
              <LoadMore list={incidents} />
            </>
          )
        }
      </ReadState>
      {creating && mayWrite ? <CreateIncident onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

interface ExactFilterProps {
  name: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** The service compares the whole value, so the filter applies on Enter or when the field is left. */
function ExactFilter({ name, value = "", onChange }: ExactFilterProps) {
  // What is typed belongs to the value that it replaces: a value of another place, such as the URL, replaces both.
  const [draft, setDraft] = useState({ of: value, typed: value });
  const typed = draft.of === value ? draft.typed : value;
  const apply = () => {
    if (typed.trim() !== value) onChange(typed.trim() === "" ? undefined : typed.trim());
  };
  return (
    <TextInput
      aria-label={name}
      placeholder={text.exact(name)}
      maxLength={500}
      w={160}
      value={typed}
      onChange={(event) => setDraft({ of: value, typed: event.currentTarget.value })}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply();
      }}
    />
  );
}
