import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useCan } from "../../app/session.tsx";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowInput, WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { ACTIONS, ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { Compare } from "./compare.tsx";
import { hasUnpublishedChanges } from "./banners.tsx";
import { useReplaceDraft, useToastRefused } from "./mutations.ts";
import { DRAFT } from "./draft-choice.ts";
import type { Chosen } from "./draft-choice.ts";
import type { Versions } from "./use-workflow.ts";
import { triggerLabel } from "./labels.ts";

/** The published versions, with a comparison of any two and a button to restore an older one. */
export default function VersionsTab({ workflow, versions }: { workflow: WorkflowView; versions: Versions }) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  return (
    <ReadState read={{ data: versions.items, error: versions.error, refetch: versions.refetch }}>
      {(items) => {
        const [newest, second] = items;
        if (newest === undefined) {
          return (
            <EmptyState title="No versions yet">
              Each publish creates a version that never changes. You can compare versions, and restore one as the draft.
            </EmptyState>
          );
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
            />
            {versions.hasNextPage ? (
              <Button
                variant="default"
                size="xs"
                w="fit-content"
                loading={versions.isFetchingNextPage}
                onClick={() => void versions.fetchNextPage()}
              >
                Load older versions
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
}: {
  workflow: WorkflowView;
  items: readonly WorkflowVersionView[];
  onCompare: (version: WorkflowVersionView) => void;
}) {
  const { restore, pending } = useRestore(workflow);
  const mayWrite = useCan("automation:write");
  const isDraft = (version: WorkflowVersionView) => !hasUnpublishedChanges(workflow, version);
  const columns: Column<WorkflowVersionView>[] = [
    {
      name: "Version",
      onCard: "title",
      cell: (version) => (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={600}>
            {version.number}
          </Text>
          {version.id === workflow.publishedVersionId ? <Mark color="teal">live</Mark> : null}
          {isDraft(version) ? <Mark color="gray">same as the draft</Mark> : null}
        </Group>
      ),
    },
    { name: "Published", cell: ({ publishedAt }) => <TimeAgo at={publishedAt} /> },
    { name: "By", cell: ({ publishedBy }) => publisherLabel(publishedBy) },
    { name: "Message", isLong: true, cell: ({ message }) => message },
    { name: "Trigger", cell: ({ trigger }) => triggerLabel(trigger) },
    {
      name: ACTIONS,
      onCard: "below",
      cell: (version) =>
        isDraft(version) ? null : (
          <Group gap={6} wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Compare: version ${version.number} with the draft`}
              onClick={() => onCompare(version)}
            >
              Compare
            </Button>
            {mayWrite ? (
              <Button
                size="compact-sm"
                variant="default"
                loading={pending}
                aria-label={`Restore as draft: version ${version.number}`}
                onClick={() => restore(version)}
              >
                Restore as draft
              </Button>
            ) : null}
          </Group>
        ),
    },
  ];
  return <ListTable label="Versions" rows={items} columns={columns} keyOf={({ id }) => id} />;
}

function Mark({ color, children }: { color: string; children: string }) {
  return (
    <Badge color={color} variant="light" radius="sm" tt="none">
      {children}
    </Badge>
  );
}

/** An actor of the audit log without the prefix for people. */
function publisherLabel(actor: string): string {
  return actor.replace(/^user:/u, "");
}

/** Makes an older version the draft again. The published version stays until the next publish. */
function useRestore(workflow: WorkflowView) {
  const replace = useReplaceDraft();
  const toastRefused = useToastRefused();
  const { id, revision } = workflow;
  const undo = (after: WorkflowView, draft: WorkflowInput) =>
    replace.mutate(
      { id, revision: after.revision, draft },
      {
        onSuccess: () => toastSuccess("The change was undone.", { about: id }),
        onError: (error) => toastRefused("The change was not undone", error),
      },
    );
  const restore = ({ number, trigger, definition }: WorkflowVersionView) => {
    const before = draftOf(workflow);
    replace.mutate(
      { id, revision, draft: { ...before, trigger, definition } },
      {
        onSuccess: (after) =>
          toastSuccess(`The draft is now the same as version ${number}. Publish it to make it live.`, {
            about: id,
            undo: () => undo(after, before),
          }),
        onError: (error) => toastRefused(`Version ${number} was not restored`, error),
      },
    );
  };
  return { restore, pending: replace.isPending };
}
