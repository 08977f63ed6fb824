import { Button, Group, Select, TextInput } from "@mantine/core";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { useSearchParams } from "wouter";
import { useCan } from "../../app/session.tsx";
import { useList } from "../../api/queries.ts";
import { agents as texts } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { Page } from "../../ui/page.tsx";
import { AgentsTable } from "./agents-table.tsx";
import { CreateAgent } from "./create-agent.tsx";
import { matchesFilter } from "./filter.ts";
import { PoolsOverview } from "./pools-overview.tsx";

const text = texts.list;
const REFRESH_MS = 5_000;
const PER_PAGE = 200;

const STATUSES = Object.entries({ ...texts.statuses, disabled: texts.disabled }).map(([value, label]) => ({
  value,
  label,
}));

/** Every agent with its status, and the pools that they share. */
export default function View() {
  const agents = useList("/api/v1/automation/agents", { query: { limit: PER_PAGE } }, { everyMs: REFRESH_MS });
  const mayWrite = useCan("agents:write");
  const [creating, setCreating] = useDialogInUrl("create");
  const [filter, setFilter] = useFilter();
  const create = mayWrite ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {text.create}
    </Button>
  ) : null;
  const description = mayWrite ? text.description : `${text.description} ${text.mayNotCreate}`;
  return (
    <Page title={common.agents} description={description} actions={create}>
      <PoolsOverview />
      <ReadState read={{ ...agents, data: agents.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={text.none.title}>
              {text.none.what} {mayWrite ? text.none.create : text.none.ask}
            </EmptyState>
          ) : (
            <>
              <Group gap="xs" align="flex-end">
                <TextInput
                  aria-label={text.search}
                  placeholder={text.searched}
                  leftSection={<IconSearch size={16} aria-hidden />}
                  value={filter.text}
                  onChange={(event) => setFilter({ text: event.currentTarget.value })}
                  w={{ base: "100%", xs: 280 }}
                />
                <Select
                  aria-label={common.status}
                  placeholder={text.anyStatus}
                  clearable
                  w={170}
                  value={filter.status === "" ? null : filter.status}
                  onChange={(status) => setFilter({ status: status ?? "" })}
                  data={STATUSES}
                />
                {filter.pool === "" ? null : (
                  <Button variant="default" onClick={() => setFilter({ pool: "" })}>
                    {text.everyPool(filter.pool)}
                  </Button>
                )}
              </Group>
              <AgentsTable agents={items.filter((agent) => matchesFilter(agent, filter))} />
              <LoadMore list={agents} />
            </>
          )
        }
      </ReadState>
      {creating && mayWrite ? <CreateAgent onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

/** The filter is in the URL, so a person can share it. */
function useFilter() {
  const [params, setParams] = useSearchParams();
  const filter = { text: params.get("q") ?? "", status: params.get("status") ?? "", pool: params.get("pool") ?? "" };
  const change = (part: Partial<typeof filter>) => {
    const next = { ...filter, ...part };
    const entries = Object.entries({ q: next.text, status: next.status, pool: next.pool });
    setParams(new URLSearchParams(entries.filter(([, value]) => value !== "")), { replace: true });
  };
  return [filter, change] as const;
}
