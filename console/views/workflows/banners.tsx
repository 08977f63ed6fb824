import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconPencil } from "@tabler/icons-react";
import { useIsMutating } from "@tanstack/react-query";
import { Link } from "wouter";
import { useCan } from "../../app/session.tsx";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastDone, useToastRefused, useVerb } from "./mutations.ts";
import { isSameJson } from "./same.ts";
import { withoutLayout } from "../../../worker/domain/definition-layout.ts";

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
        <Alert color="gray" icon={<IconPencil aria-hidden />} title={hasVersions ? "Not published" : "Only a draft"}>
          The workflow does not run until it is published.
          {hasVersions ? " Earlier versions are kept." : null}
        </Alert>
      ) : live !== undefined && hasUnpublishedChanges(workflow, live) ? (
        <Alert color="yellow" icon={<IconPencil aria-hidden />} title="The draft has unpublished changes">
          Version {live.number} stays live until the draft is published.{" "}
          <Anchor
            component={Link}
            href={`/workflows/${workflow.id}?tab=versions`}
            size="sm"
            underline="always"
            c="inherit"
          >
            Show changes
          </Anchor>
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
    <Alert
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={
        <>
          Switched off <TimeAgo at={at} />
        </>
      }
    >
      <Group justify="space-between" align="flex-start" gap="sm">
        <Text size="sm" flex="1 1 20rem">
          {workflow.autoDisableReason ?? "The service switched off its schedule."}
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
                onSuccess: (done) => toastDone("Activated again.", workflow, done),
                onError: (error) => toastRefused("The workflow was not activated", error),
              })
            }
          >
            Activate again
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
