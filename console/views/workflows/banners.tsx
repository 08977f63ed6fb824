import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconPencil } from "@tabler/icons-react";
import { useIsMutating } from "@tanstack/react-query";
import { Link } from "wouter";
import { useCan } from "../../app/session.tsx";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastDone, useToastRefused, useVerb } from "./mutations.ts";
import { isSameJson } from "./same.ts";
import { withoutLayout } from "../../../worker/domain/definition-layout.ts";

const text = publishing.banners;

interface Props {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
  hasVersions: boolean;
}

/** Warnings of a workflow's page: auto-disabled, not published, or a draft with unpublished changes. */
export function Banners({ workflow, live, hasVersions }: Props) {
  return (
    <>
      {workflow.autoDisabledAt === null ? null : <AutoDisabled workflow={workflow} at={workflow.autoDisabledAt} />}
      {live === null ? (
        <Alert
          color="gray"
          icon={<IconPencil aria-hidden />}
          title={hasVersions ? text.unpublished : text.neverPublished}
        >
          {hasVersions ? text.versionsAreKept : text.doesNotRun}
        </Alert>
      ) : live !== undefined && hasUnpublishedChanges(workflow, live) ? (
        <Alert color="yellow" icon={<IconPencil aria-hidden />} title={text.draftIsAhead.title}>
          {text.draftIsAhead.body(
            live.number,
            <Anchor
              component={Link}
              href={`/workflows/${workflow.id}?tab=versions`}
              size="sm"
              underline="always"
              c="inherit"
            >
              {text.draftIsAhead.link}
            </Anchor>,
          )}
        </Alert>
      ) : null}
    </>
  );
}

/** Positions on the canvas make no other version. */
export function hasUnpublishedChanges(
  draft: Pick<WorkflowView, "trigger" | "definition">,
  live: Pick<WorkflowVersionView, "trigger" | "definition">,
): boolean {
  return (
    !isSameJson(draft.trigger, live.trigger) ||
    !isSameJson(withoutLayout(draft.definition), withoutLayout(live.definition))
  );
}

function AutoDisabled({ workflow, at }: { workflow: WorkflowView; at: string }) {
  const mayWrite = useCan("automation:write");
  const activate = useVerb("activate");
  const busy = useIsMutating() > 0;
  const toastRefused = useToastRefused();
  const toastDone = useToastDone();
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={text.switchedOff.title(<TimeAgo at={at} />)}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Text size="sm" flex="1 1 20rem">
          {workflow.autoDisableReason ?? text.switchedOff.noReason}
        </Text>
        {mayWrite ? (
          <Button
            size="xs"
            color="red"
            variant="outline"
            loading={activate.isPending}
            disabled={busy}
            onClick={() =>
              activate.mutate(workflow, {
                onSuccess: (done) => toastDone(publishing.done.activateAgain, workflow, done),
                onError: (error) => toastRefused(publishing.failed.activate, error),
              })
            }
          >
            {text.switchedOff.activate}
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
