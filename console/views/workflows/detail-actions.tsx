import { ActionIcon, Button, Menu } from "@mantine/core";
import { useIsMutating } from "@tanstack/react-query";
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRocket,
  IconTrash,
  IconWorldOff,
} from "@tabler/icons-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { hasUnpublishedChanges } from "./banners.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { useDuplicate } from "./duplicate.ts";
import { PublishDialog } from "./publish-dialog.tsx";
import { RunDialog } from "./run-dialog.tsx";
import { useDetailCommands } from "./use-detail-commands.tsx";

interface Props {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
}

/** The actions on a workflow. People without the permission do not see them. */
export function DetailActions({ workflow, live }: Props) {
  const mayWrite = useCan("automation:write");
  const mayRun = useCan("automation:execute");
  // The dialog checks this object once: it must stay the same while the draft does.
  const draft = useMemo(() => draftOf(workflow), [workflow]);
  const [running, setRunning] = useDialogInUrl("run");
  const { publish, unpublish, activate, deactivate, remove } = useDetailCommands(workflow);
  const { duplicate } = useDuplicate();
  // The next change needs the revision of the last one. With the old one it would be refused as a conflict.
  const busy = useIsMutating() > 0;
  const isNew = live === null || (live !== undefined && hasUnpublishedChanges(workflow, live));
  // Only a manual trigger needs no activation.
  const hasSwitch = workflow.active || (live?.trigger ?? workflow.trigger).type !== "manual";

  return (
    <>
      {mayRun ? (
        <Button
          variant={isNew && mayWrite ? "default" : "filled"}
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          onClick={() => setRunning(true)}
        >
          {text.runNow}
        </Button>
      ) : null}
      {mayWrite ? (
        <>
          <Button
            variant={isNew ? "filled" : "default"}
            leftSection={<IconRocket size={16} aria-hidden />}
            loading={publish.pending}
            disabled={busy || !isNew}
            onClick={publish.ask}
          >
            {live === null
              ? publishing.publish
              : live === undefined || isNew
                ? publishing.publishChanges
                : publishing.nothingToPublish}
          </Button>
          {hasSwitch ? (
            workflow.active ? (
              <Button
                variant="default"
                leftSection={<IconPlayerPause size={16} aria-hidden />}
                loading={deactivate.pending}
                disabled={busy}
                onClick={deactivate.ask}
              >
                {text.deactivate}
              </Button>
            ) : (
              <Button variant="default" loading={activate.pending} disabled={busy} onClick={activate.ask}>
                {text.activate}
              </Button>
            )
          ) : null}
          <Button
            variant="default"
            component={Link}
            href={`/workflows/${workflow.id}/edit`}
            leftSection={<IconPencil size={16} aria-hidden />}
          >
            {common.edit}
          </Button>
        </>
      ) : null}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={common.more}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component="a"
            href={`/api/v1/automation/workflows/${workflow.id}/export`}
            download
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {text.detail.exportYaml}
          </Menu.Item>
          {mayWrite ? (
            <Menu.Item
              leftSection={<IconCopy size={16} aria-hidden />}
              disabled={busy}
              onClick={() => duplicate(workflow)}
            >
              {text.duplicate}
            </Menu.Item>
          ) : null}
          {mayWrite && workflow.published ? (
            <Menu.Item leftSection={<IconWorldOff size={16} aria-hidden />} disabled={busy} onClick={unpublish.ask}>
              {text.detail.unpublish}
            </Menu.Item>
          ) : null}
          {mayWrite ? (
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              disabled={busy}
              onClick={remove.ask}
            >
              {common.delete}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <PublishDialog {...publish.dialog} draft={draft} workflow={workflow} live={live} />
      {remove.dialog === null ? null : <DeleteDialog {...remove.dialog} />}
      <RunDialog workflow={workflow} live={live} opened={running && mayRun} onClose={() => setRunning(false)} />
    </>
  );
}
