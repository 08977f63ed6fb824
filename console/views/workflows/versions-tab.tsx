import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useCan } from "../../app/session.tsx";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowInput, WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { common } from "../../strings/en/common.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { ACTIONS, ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { Compare, DRAFT } from "./compare.tsx";
import type { Chosen } from "./compare.tsx";
import { hasUnpublishedChanges } from "./banners.tsx";
import { useReplaceDraft, useToastRefused } from "./mutations.ts";
import type { Versions } from "./use-workflow.ts";
import { triggerLabel } from "./labels.ts";

const text = publishing.versions;

/** The published versions, with a comparison of any two and a button to restore an older one. */
export default function VersionsTab({ workflow, versions }: { workflow: WorkflowView; versions: Versions }) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  return (
    <ReadState read={{ data: versions.items, error: versions.error, refetch: versions.refetch }}>
      {(items) => {
        const [newest, second] = items;
        if (newest === undefined) {
          return <EmptyState title={text.none.title}>{text.none.help}</EmptyState>;
        }
        const isAhead = hasUnpublishedChanges(workflow, newest);
        const first: Chosen = isAhead
          ? { before: newest.id, after: DRAFT }
          : { before: (second ?? newest).id, after: newest.id };
        return (
          <Stack gap="xl">
            <History
              workflow={workflow}
              items={items}
              onCompare={(version) => setChosen({ before: version.id, after: DRAFT })}
              // The restored version is the draft: the changes to publish are of interest next.
              onRestored={() => setChosen(null)}
            />
            {versions.hasNextPage ? (
              <Button
                variant="default"
                size="xs"
                w="fit-content"
                loading={versions.isFetchingNextPage}
                onClick={() => void versions.fetchNextPage()}
              >
                {text.loadOlder}
              </Button>
            ) : null}
            {second === undefined && !isAhead ? null : (
              <Compare workflow={workflow} versions={items} chosen={chosen ?? first} onChoose={setChosen} />
            )}
          </Stack>
        );
      }}
    </ReadState>
  );
}

function History({
  workflow,
  items,
  onCompare,
  onRestored,
}: {
  workflow: WorkflowView;
  items: readonly WorkflowVersionView[];
  onCompare: (version: WorkflowVersionView) => void;
  onRestored: () => void;
}) {
  const { restore, pending } = useRestore(workflow, onRestored);
  const mayWrite = useCan("automation:write");
  const isDraft = (version: WorkflowVersionView) => !hasUnpublishedChanges(workflow, version);
  const columns: Column<WorkflowVersionView>[] = [
    {
      name: text.version,
      onCard: "title",
      cell: (version) => (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={600}>
            {publishing.compare.version(version.number)}
          </Text>
          {version.id === workflow.publishedVersionId ? <Mark color="teal">{text.live}</Mark> : null}
          {isDraft(version) ? <Mark color="gray">{text.sameAsDraft}</Mark> : null}
        </Group>
      ),
    },
    { name: text.published, cell: ({ publishedAt }) => <TimeAgo at={publishedAt} /> },
    { name: text.by, cell: ({ publishedBy }) => actorLabel(publishedBy) },
    { name: text.message, isLong: true, cell: ({ message }) => message },
    { name: common.trigger, cell: ({ trigger }) => triggerLabel(trigger) },
    {
      name: ACTIONS,
      onCard: "below",
      cell: (version) =>
        isDraft(version) ? null : (
          <Group gap={6} wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={text.compareLabel(version.number)}
              onClick={() => onCompare(version)}
            >
              {text.compare}
            </Button>
            {mayWrite ? (
              <Button
                size="compact-sm"
                variant="default"
                loading={pending}
                aria-label={text.restoreLabel(version.number)}
                onClick={() => restore(version)}
              >
                {text.restore}
              </Button>
            ) : null}
          </Group>
        ),
    },
  ];
  return <ListTable label={text.label} rows={items} columns={columns} keyOf={({ id }) => id} />;
}

function Mark({ color, children }: { color: string; children: string }) {
  return (
    <Badge color={color} variant="light" radius="sm" tt="none">
      {children}
    </Badge>
  );
}

/** Makes an older version the draft again. The published version stays until the next publish. */
function useRestore(workflow: WorkflowView, onRestored: () => void) {
  const replace = useReplaceDraft();
  const toastRefused = useToastRefused();
  const { id, name, revision } = workflow;
  const undo = (after: WorkflowView, draft: WorkflowInput) =>
    replace.mutate(
      { id, revision: after.revision, draft },
      {
        onSuccess: () => toastSuccess(workflows.undone, { about: id }),
        onError: (error) => toastRefused(workflows.notUndone, error),
      },
    );
  const restore = ({ number, trigger, definition }: WorkflowVersionView) => {
    const before = draftOf(workflow);
    replace.mutate(
      { id, revision, draft: { ...before, trigger, definition } },
      {
        onSuccess: (after) => {
          onRestored();
          toastSuccess(text.restored(name, number), { about: id, undo: () => undo(after, before) });
        },
        onError: (error) => toastRefused(text.notRestored(number), error),
      },
    );
  };
  return { restore, pending: replace.isPending };
}
