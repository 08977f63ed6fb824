import { Badge, Button, Group, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useCan } from "../../app/session.tsx";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { confirm } from "../../ui/confirm.tsx";
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
  return (
    <Table.ScrollContainer minWidth={620} type="native" tabIndex={0} aria-label="Versions">
      <Table verticalSpacing="xs" aria-label="Versions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Version</Table.Th>
            <Table.Th>Published</Table.Th>
            <Table.Th>Trigger</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((version) => {
            const isDraft = !hasUnpublishedChanges(workflow, version);
            return (
              <Table.Tr key={version.id}>
                <Table.Td>
                  <Group gap={6}>
                    <Text size="sm" fw={600}>
                      {version.number}
                    </Text>
                    {version.id === workflow.publishedVersionId ? (
                      <Badge color="teal" variant="light" radius="sm" tt="none">
                        live
                      </Badge>
                    ) : null}
                    {isDraft ? (
                      <Badge color="gray" variant="light" radius="sm" tt="none">
                        same as the draft
                      </Badge>
                    ) : null}
                  </Group>
                </Table.Td>
                <Table.Td>
                  <TimeAgo at={version.publishedAt} />
                </Table.Td>
                <Table.Td>{triggerLabel(version.trigger)}</Table.Td>
                <Table.Td>
                  {isDraft ? null : (
                    <Group gap={6} justify="flex-end" wrap="nowrap">
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
                          onClick={() => void restore(version)}
                        >
                          Restore as draft
                        </Button>
                      ) : null}
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Makes an older version the draft again. The published version stays until the next publish. */
function useRestore(workflow: WorkflowView) {
  const replace = useReplaceDraft();
  const toastRefused = useToastRefused();
  const restore = async ({ number, trigger, definition }: WorkflowVersionView) => {
    const { id, revision } = workflow;
    const sure = await confirm({
      title: `Restore version ${number} as the draft?`,
      body: "It replaces the draft: unpublished changes are lost. The live version stays until you publish. Name and description stay.",
      confirmLabel: "Restore",
      keepLabel: "Keep draft",
      danger: true,
    });
    if (!sure) return;
    replace.mutate(
      { id, revision, draft: { ...draftOf(workflow), trigger, definition } },
      {
        onSuccess: () => toastSuccess(`The draft is now the same as version ${number}. Publish it to make it live.`),
        onError: (error) => toastRefused(`Version ${number} was not restored`, error),
      },
    );
  };
  return { restore, pending: replace.isPending };
}
