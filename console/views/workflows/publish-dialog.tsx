import { Button, Group, Modal, Stack, Switch, Text, Textarea, Title } from "@mantine/core";
import { IconExclamationCircle } from "@tabler/icons-react";
import { useId, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { withoutLayout } from "../../../worker/domain/definition-layout.ts";
import type { WorkflowInput, WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { WarningIcon } from "../../ui/warning-line.tsx";
import { FixButton } from "../../workflow-forms/notes.tsx";
import { pathLabel, problemSentence } from "../../workflow-forms/problems.ts";
import { nodesOf } from "../designer/model/graph-edit.ts";
import { useChecks } from "../designer/use-checks.ts";
import { hasUnpublishedChanges } from "./banners.tsx";
import { changesBetween } from "./changes.ts";
import type { Content } from "./changes.ts";
import { ChangeList, TextChanges } from "./compare.tsx";
import { startsNow } from "./starts-now.ts";

const text = publishing.dialog;
const MESSAGE_MAX_CHARS = 1_000;

interface PublishDialogProps {
  opened: boolean;
  onClose: () => void;
  /** The draft as shown. */
  draft: WorkflowInput;
  workflow: Pick<WorkflowView, "active" | "webhookKey"> | null;
  /** The live version: null without one, undefined while it is unknown. */
  live: WorkflowVersionView | null | undefined;
  /** The draft has changes that publishing saves first. */
  isUnsaved?: boolean;
  /** Whether publishing also activates the workflow. */
  activates?: boolean;
  pending: boolean;
  onFix: (fix: Fix) => void;
  onPublish: (message: string) => void;
}

/** Shows what publishing changes and starts, and asks for a reason. */
export function PublishDialog({ opened, ...rest }: PublishDialogProps) {
  const title = rest.activates === true ? publishing.publishAndActivate : publishing.publish;
  return (
    <Modal opened={opened} onClose={rest.onClose} title={title} size="xl">
      {opened ? <Content {...rest} /> : null}
    </Modal>
  );
}

function Content({
  onClose,
  draft,
  workflow,
  live,
  isUnsaved = false,
  activates = false,
  pending,
  onFix,
  onPublish,
}: Omit<PublishDialogProps, "opened">) {
  const [message, setMessage] = useState("");
  const checks = useChecks(draft);
  const isChecked = checks.checked === draft || checks.paused !== null;
  const differs = live === null || (live !== undefined && hasUnpublishedChanges(draft, live));
  const isAllowed = isChecked && differs && checks.errors.length === 0;
  const active = activates || (workflow?.active ?? false);
  const action = activates ? publishing.publishAndActivate : publishing.publish;
  return (
    <Stack gap="md">
      {isUnsaved ? <Text size="sm">{text.savesFirst}</Text> : null}
      <Section title={text.changes}>
        {live === null ? (
          <Text size="sm">{text.noneLive(nodesOf(draft.definition).length)}</Text>
        ) : live === undefined ? (
          <Text size="sm">{text.loadingLive}</Text>
        ) : (
          <Changes live={live} draft={draft} />
        )}
      </Section>
      {checks.errors.length === 0 ? null : (
        <Section title={text.problems}>
          <Found draft={draft} found={checks.errors} icon={<ProblemIcon />} onFix={onFix} />
        </Section>
      )}
      {checks.warnings.length === 0 ? null : (
        <Section title={text.warnings}>
          <Found draft={draft} found={checks.warnings} icon={<WarningIcon />} onFix={onFix} />
        </Section>
      )}
      <Section title={text.fromNowOn}>
        <Text size="sm">{startsNow({ trigger: draft.trigger, active, webhookKey: workflow?.webhookKey ?? null })}</Text>
      </Section>
      <Textarea
        data-autofocus
        label={text.message}
        description={text.messageHelp}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        maxLength={MESSAGE_MAX_CHARS}
        autosize
        minRows={2}
        maxRows={6}
      />
      <Group justify="flex-end" gap="sm">
        <Text size="sm" c="dimmed" role="status">
          {checks.errors.length > 0 ? text.fixFirst : (checks.paused ?? (isChecked ? "" : text.checking))}
        </Text>
        <Button variant="default" onClick={onClose}>
          {text.cancel}
        </Button>
        <Button loading={pending} disabled={!isAllowed} onClick={() => onPublish(message.trim())}>
          {live === undefined || differs ? action : publishing.nothingToPublish}
        </Button>
      </Group>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={6}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Changes({ live, draft }: { live: WorkflowVersionView; draft: WorkflowInput }) {
  const [asText, setAsText] = useState(false);
  const [before, after] = useMemo(() => [behaviourOf(live), behaviourOf(draft)], [live, draft]);
  const changes = useMemo(() => changesBetween(before, after), [before, after]);
  if (changes.length === 0) {
    return <Text size="sm">{text.same(live.number)}</Text>;
  }
  return (
    <>
      <ChangeList changes={changes} />
      <Switch label={text.asText} checked={asText} onChange={(event) => setAsText(event.currentTarget.checked)} />
      {asText ? (
        <TextChanges
          before={{ label: publishing.compare.version(live.number), content: before }}
          after={{ label: publishing.compare.draft, content: after }}
          whole={false}
        />
      ) : null}
    </>
  );
}

/** Positions on the canvas are no change of a version. */
function behaviourOf({ trigger, definition }: Content): Content {
  return { trigger, definition: withoutLayout(definition) };
}

function Found(props: {
  draft: WorkflowInput;
  found: readonly FieldError[];
  icon: ReactNode;
  onFix: (fix: Fix) => void;
}) {
  return (
    <Stack gap={8}>
      {props.found.map((one) => (
        <FoundLine key={`${one.path} ${one.message}`} {...props} one={one} />
      ))}
    </Stack>
  );
}

function FoundLine({ draft, one, icon, onFix }: Omit<Parameters<typeof Found>[0], "found"> & { one: FieldError }) {
  const id = useId();
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      {icon}
      <Stack gap={4} miw={0}>
        <Text size="sm" id={id} style={{ overflowWrap: "anywhere" }}>
          <b>{pathLabel(draft.definition, one.path)}</b> {problemSentence(one, one.path)}
        </Text>
        <FixButton fix={one.fix} onFix={onFix} describedBy={id} />
      </Stack>
    </Group>
  );
}

function ProblemIcon() {
  return (
    <IconExclamationCircle
      size={16}
      aria-hidden
      color="var(--mantine-color-red-text)"
      style={{ flex: "none", marginTop: 2 }}
    />
  );
}
