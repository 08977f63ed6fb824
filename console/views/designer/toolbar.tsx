import { ActionIcon, Badge, Button, Group, Switch, Tooltip } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconHierarchy,
  IconKeyboard,
  IconPlus,
  IconSend,
} from "@tabler/icons-react";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { StateBadges } from "../workflows/state-badge.tsx";
import { useDesigner } from "./designer-context.ts";
import { common } from "../../strings/en/common.ts";
import { designer } from "../../strings/en/designer.ts";
import classes from "./designer.module.css";

const { toolbar: text, keys } = designer;

interface ToolbarProps {
  workflow: WorkflowView;
  dirty: boolean;
  /** Whether the saved draft differs from the published version; null when unknown. */
  differs: boolean | null;
  busy: boolean;
  onPublish: () => void;
  onActive: (active: boolean) => void;
  onHelp: () => void;
  onArrange: () => void;
}

/** The draft's state (published, active) and the commands for the whole draft. */
export function Toolbar(props: ToolbarProps) {
  const { workflow, dirty, differs, busy, onPublish, onActive, onHelp, onArrange } = props;
  const { undo, redo, canUndo, canRedo, openPalette, readOnly } = useDesigner();
  const isPublished = !dirty && differs === false;
  return (
    <Group gap="xs" justify="space-between">
      <State {...props} readOnly={readOnly} />
      <Group gap="xs">
        {readOnly ? null : (
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => openPalette()}
            >
              {common.add}
            </Button>
            <Group gap={2} wrap="nowrap">
              <Tool label={text.undo} keys={keys.undo} icon={IconArrowBackUp} onClick={undo} disabled={!canUndo} />
              <Tool label={text.redo} keys={keys.redo} icon={IconArrowForwardUp} onClick={redo} disabled={!canRedo} />
              <Tool label={text.arrange} keys={keys.arrange} icon={IconHierarchy} onClick={onArrange} />
            </Group>
          </>
        )}
        <Tool label={text.shortcuts} keys={keys.help} icon={IconKeyboard} onClick={onHelp} />
        {readOnly ? null : (
          <>
            <Button
              size="xs"
              leftSection={<IconSend size={16} aria-hidden />}
              onClick={onPublish}
              disabled={busy || isPublished}
            >
              <Either labels={[text.publish, text.nothingToPublish]} shown={isPublished ? 1 : 0} />
            </Button>
            <Switch
              size="sm"
              label={text.active}
              checked={workflow.active}
              disabled={busy}
              onChange={(event) => onActive(event.currentTarget.checked)}
            />
          </>
        )}
      </Group>
    </Group>
  );
}

/** One of several labels, in the width of the longest: what is beside it stays in place when the label changes. */
function Either({ labels, shown }: { labels: readonly string[]; shown: number }) {
  return (
    <span className={classes["either"]}>
      {labels.map((label, at) => (
        <span key={label} style={{ visibility: at === shown ? undefined : "hidden" }}>
          {label}
        </span>
      ))}
    </span>
  );
}

function Tool(props: {
  label: string;
  keys: string;
  icon: typeof IconKeyboard;
  onClick: () => void;
  disabled?: boolean;
}) {
  const { label, icon: Icon, onClick, disabled = false } = props;
  return (
    <Tooltip label={text.withKeys(label, props.keys)} withArrow>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick} disabled={disabled}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function State({ workflow, differs, readOnly }: ToolbarProps & { readOnly: boolean }) {
  return (
    <Group gap="xs" role="status" aria-label={text.state}>
      {readOnly ? (
        <Badge color="gray" variant="light" radius="sm" tt="none">
          {text.readOnly}
        </Badge>
      ) : null}
      <StateBadges workflow={workflow} />
      {workflow.published && differs === true ? (
        <Badge color="yellow" variant="light" radius="sm" tt="none">
          {text.unpublishedChanges}
        </Badge>
      ) : null}
      {workflow.active && !workflow.published ? (
        <Badge color="gray" variant="light" radius="sm" tt="none">
          {text.activeOncePublished}
        </Badge>
      ) : null}
    </Group>
  );
}
