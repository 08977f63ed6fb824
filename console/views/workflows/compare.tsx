import { Badge, Group, List, NativeSelect, Stack, Switch, Text, Title } from "@mantine/core";
import { Suspense, lazy, useMemo, useState } from "react";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { LoadingState } from "../../ui/states.tsx";
import { changesBetween } from "./changes.ts";
import type { Change, Content } from "./changes.ts";
import { useNames } from "./use-names.ts";
import { versionYaml } from "./version-yaml.ts";

const DiffView = lazy(() => import("../../ui/diff-view.tsx"));

const text = publishing.compare;
/** The draft's value in a choice of versions. */
export const DRAFT = "draft";

/** The compared versions, each by its id or DRAFT. */
export interface Chosen {
  before: string;
  after: string;
}

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
    { value: DRAFT, label: text.draft },
    ...versions.map(({ id, number }) => ({
      value: id,
      label: id === workflow.publishedVersionId ? text.liveVersion(number) : text.version(number),
    })),
  ];
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {text.title}
      </Title>
      <Group gap="md" align="end">
        <NativeSelect
          label={text.from}
          data={choices}
          value={chosen.before}
          onChange={(event) => onChoose({ ...chosen, before: event.currentTarget.value })}
        />
        <NativeSelect
          label={text.to}
          data={choices}
          value={chosen.after}
          onChange={(event) => onChoose({ ...chosen, after: event.currentTarget.value })}
        />
        <Switch
          label={text.showUnchanged}
          checked={whole}
          onChange={(event) => setWhole(event.currentTarget.checked)}
          pb={8}
        />
      </Group>
      {changes.length === 0 ? (
        <Text size="sm" role="status">
          {text.same}
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
    <Suspense fallback={<LoadingState label={text.loading} />}>
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
    ? { label: text.draft, content: workflow }
    : { label: text.version(version.number), content: version };
}

const COLORS = { added: "teal", removed: "red", changed: "blue" } as const satisfies Record<Change["kind"], string>;

export function ChangeList({ changes }: { changes: readonly Change[] }) {
  return (
    <List size="sm" spacing={4} listStyleType="none" aria-label={text.list}>
      {changes.map(({ kind, what, detail }) => (
        <List.Item key={`${kind} ${what} ${detail}`}>
          <Badge color={COLORS[kind]} variant="light" radius="sm" tt="none" mr={6}>
            {publishing.changes.kinds[kind]}
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
