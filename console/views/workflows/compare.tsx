import { Badge, Group, List, NativeSelect, Stack, Switch, Text, Title } from "@mantine/core";
import { Suspense, lazy, useMemo, useState } from "react";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { LoadingState } from "../../ui/states.tsx";
import { changesBetween } from "./changes.ts";
import type { Change, Content } from "./changes.ts";
import { useNames } from "./use-names.ts";
import { versionYaml } from "./version-yaml.ts";
import { DRAFT } from "./draft-choice.ts";
import type { Chosen } from "./draft-choice.ts";

const DiffView = lazy(() => import("../../ui/diff-view.tsx"));

interface Props {
  workflow: WorkflowView;
  versions: readonly WorkflowVersionView[];
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

/** Compares two versions, or a version and the draft: a list of changes, and a line-by-line diff. */
export function Compare({ workflow, versions, chosen, onChoose }: Props) {
  const before = contentOf(chosen.before, workflow, versions);
  const after = contentOf(chosen.after, workflow, versions);
  const [whole, setWhole] = useState(false);
  const changes = useMemo(() => changesBetween(before.content, after.content), [before.content, after.content]);
  const choices = [
    { value: DRAFT, label: "The draft" },
    ...versions.map(({ id, number }) => ({
      value: id,
      label: `Version ${number}${id === workflow.publishedVersionId ? " (live)" : ""}`,
    })),
  ];
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Changes
      </Title>
      <Group gap="md" align="end">
        <NativeSelect
          label="From"
          data={choices}
          value={chosen.before}
          onChange={(event) => onChoose({ ...chosen, before: event.currentTarget.value })}
        />
        <NativeSelect
          label="To"
          data={choices}
          value={chosen.after}
          onChange={(event) => onChoose({ ...chosen, after: event.currentTarget.value })}
        />
        <Switch
          label="Show unchanged lines"
          checked={whole}
          onChange={(event) => setWhole(event.currentTarget.checked)}
          pb={8}
        />
      </Group>
      {changes.length === 0 ? (
        <Text size="sm" role="status">
          {before.label} and {after.label.toLowerCase()} are the same.
        </Text>
      ) : (
        <>
          <ChangeList changes={changes} />
          <TextChanges before={before} after={after} whole={whole} />
        </>
      )}
    </Stack>
  );
}

interface Side {
  label: string;
  content: Content;
}

/** Two contents line by line. */
export function TextChanges({ before, after, whole }: { before: Side; after: Side; whole: boolean }) {
  const names = useNames([before.content.definition, after.content.definition]);
  return (
    <Suspense fallback={<LoadingState label="Loading the comparison" />}>
      <DiffView
        before={{ label: before.label, text: versionYaml(before.content, names) }}
        after={{ label: after.label, text: versionYaml(after.content, names) }}
        whole={whole}
      />
    </Suspense>
  );
}

function contentOf(choice: string, workflow: WorkflowView, versions: readonly WorkflowVersionView[]): Side {
  const version = versions.find(({ id }) => id === choice);
  return version === undefined
    ? { label: "The draft", content: workflow }
    : { label: `Version ${version.number}`, content: version };
}

const COLORS = { added: "teal", removed: "red", changed: "blue" } as const satisfies Record<Change["kind"], string>;

export function ChangeList({ changes }: { changes: readonly Change[] }) {
  return (
    <List size="sm" spacing={4} listStyleType="none" aria-label="List of changes">
      {changes.map(({ kind, what, detail }) => (
        <List.Item key={`${kind} ${what} ${detail}`}>
          <Badge color={COLORS[kind]} variant="light" radius="sm" tt="none" mr={6}>
            {kind}
          </Badge>
          <Text component="span" size="sm" fw={600}>
            {what}
          </Text>
          {detail === "" ? null : `: ${detail}`}
        </List.Item>
      ))}
    </List>
  );
}
