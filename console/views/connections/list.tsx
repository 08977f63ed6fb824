import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { Link, useSearchParams } from "wouter";
import { useAll } from "../../api/use-all.ts";
import { useCan } from "../../app/session.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { ConnectionRows } from "./list-rows.tsx";
import { matchesFilter } from "./list-filter.ts";
import { CONNECTION_TYPES, descriptorOf, isConnectionType } from "../../../schema/contract/connection.ts";
import { useAgents } from "./use-agents.ts";
import { useWorkflowUsers } from "./use-workflow-users.ts";
import { common } from "../../strings/en/common.ts";
import { connections as catalogue } from "../../strings/en/connections.ts";

const text = catalogue.list;

const REFRESH_MS = 15_000;
const PAGE_SIZE = 100;
/** The number of pages that are read automatically, so that a search covers them. */
const PAGES_MAX = 5;

/** Every connection with its type, its agents, and the status of its credential. */
export default function Connections() {
  const mayWrite = useCan("connections:write");
  const connections = useAll(
    "/api/v1/automation/connections",
    { query: { limit: PAGE_SIZE } },
    { everyMs: REFRESH_MS, pagesMax: PAGES_MAX },
  );
  const agents = useAgents();
  const users = useWorkflowUsers();
  const [search, setSearch] = useSearchParams();
  const typed = search.get("type");
  const type = isConnectionType(typed) ? typed : null;
  const typedText = search.get("q") ?? "";
  const filter = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === "") before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const all = connections.items ?? [];
  const whereOf = (connection: (typeof all)[number]) =>
    connection.poolId ?? agents.byId.get(connection.agentId ?? "")?.name ?? "";
  const matching = all.filter((connection) =>
    matchesFilter(connection, whereOf(connection), { type, text: typedText }),
  );
  const create = mayWrite ? (
    <Button component={Link} href="/connections/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {text.create}
    </Button>
  ) : null;
  return (
    <Page title={common.connections} description={text.description} actions={create}>
      <ReadState read={connections}>
        {() =>
          all.length === 0 ? (
            <EmptyState title={text.none.title} action={create}>
              {text.none.body} {mayWrite ? text.none.mayCreate : text.none.mayNotCreate}
            </EmptyState>
          ) : (
            <Stack gap="sm">
              <Group gap="sm">
                <TextInput
                  aria-label={common.search}
                  placeholder={text.searched}
                  leftSection={<IconSearch size={16} aria-hidden />}
                  value={typedText}
                  onChange={(event) => filter("q", event.currentTarget.value)}
                  flex="1 1 14rem"
                  maw={360}
                />
                <Select
                  aria-label={common.type}
                  placeholder={text.anyType}
                  clearable
                  data={CONNECTION_TYPES.map((one) => ({ value: one, label: descriptorOf(one).label }))}
                  value={type}
                  onChange={(chosen) => filter("type", chosen ?? "")}
                  w={180}
                />
                <Text size="sm" c="dimmed" role="status">
                  {text.shown(matching.length, all.length, connections.hasNextPage)}
                </Text>
              </Group>
              {matching.length === 0 ? (
                <EmptyState
                  title={text.noMatch.title}
                  action={
                    <Button variant="default" size="xs" onClick={() => setSearch({}, { replace: true })}>
                      {common.showAll}
                    </Button>
                  }
                >
                  {text.noMatch.body(all.length, connections.hasNextPage)}
                </EmptyState>
              ) : (
                <ConnectionRows connections={matching} agents={agents} users={users.data} />
              )}
              <LoadMore list={connections} />
              {users.data?.isComplete === false ? (
                <Text size="sm" c="dimmed">
                  {text.usersLimited(users.data.looked)}
                </Text>
              ) : null}
            </Stack>
          )
        }
      </ReadState>
    </Page>
  );
}
