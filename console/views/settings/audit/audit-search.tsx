import { Autocomplete, Button, Group, Paper, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import type { FormEvent } from "react";
import { AUDIT_SUBJECT_TYPES, AUDIT_VERBS } from "../../../../schema/contract/audit-labels.ts";
import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { useList } from "../../../api/queries.ts";
import { common } from "../../../strings/en/common.ts";
import { audit } from "../../../strings/en/audit.ts";
import { viewersZone } from "../../../strings/time.ts";
import { NO_FILTERS, actorGiven, actorShown, fromLocalInput, searchOf, toLocalInput } from "./filters.ts";
import type { AuditFilters } from "./filters.ts";

const text = audit.search;

interface AuditSearchProps {
  filters: AuditFilters;
  show: (filters: AuditFilters) => void;
}

/** The fields of the search, with choices or suggestions where the values are known. */
export function AuditSearch({ filters, show }: AuditSearchProps) {
  const [given, setGiven] = useState({ ...filters, actor: actorShown(filters.actor) });
  const users = useList("/api/v1/automation/users", { query: { limit: PAGE_SIZE_MAX } });
  const actors = (users.items ?? []).map(({ email }) => email);
  const isBackwards = given.from !== "" && given.to !== "" && given.from > given.to;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBackwards) show({ ...given, actor: actorGiven(given.actor) });
  };
  const field = (name: "actor" | "subjectId") => ({
    value: given[name],
    onChange: (value: string) => setGiven({ ...given, [name]: value }),
  });
  const choice = (name: "verb" | "subjectType") => ({
    value: given[name] === "" ? null : given[name],
    onChange: (value: string | null) => setGiven({ ...given, [name]: value ?? "" }),
    searchable: true,
    clearable: true,
  });
  const time = (end: "from" | "to") => ({
    type: "datetime-local",
    value: toLocalInput(given[end]),
    onChange: (event: { currentTarget: { value: string } }) =>
      setGiven({ ...given, [end]: fromLocalInput(event.currentTarget.value, end) }),
  });
  const subjectId = field("subjectId");
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} role="search" aria-label={audit.label}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        <Autocomplete
          label={text.actor}
          placeholder={text.placeholders.actor}
          data={actors}
          limit={20}
          {...field("actor")}
        />
        <Select
          label={text.action}
          placeholder={text.placeholders.action}
          data={AUDIT_VERBS.map((value) => ({ value, label: audit.actions[value] }))}
          {...choice("verb")}
        />
        <Select
          label={text.subjectType}
          placeholder={text.placeholders.subjectType}
          data={AUDIT_SUBJECT_TYPES.map((value) => ({ value, label: audit.subjects[value] }))}
          {...choice("subjectType")}
        />
        <TextInput
          label={text.subjectId}
          placeholder={text.placeholders.subjectId}
          value={subjectId.value}
          onChange={(event) => subjectId.onChange(event.currentTarget.value)}
        />
        <TextInput label={text.from} {...time("from")} />
        <TextInput label={text.to} {...time("to")} error={isBackwards ? text.isBackwards : undefined} />
      </SimpleGrid>
      <Group mt="sm" gap="xs" justify="flex-end">
        <Text size="sm" c="dimmed" me="auto">
          {text.zone(viewersZone())}
        </Text>
        {searchOf(filters) === "" ? null : (
          <Button variant="default" onClick={() => show(NO_FILTERS)}>
            {text.clear}
          </Button>
        )}
        <Button type="submit" leftSection={<IconSearch size={16} aria-hidden />}>
          {common.search}
        </Button>
      </Group>
    </Paper>
  );
}
