import { Button, Group, Modal, Stack, Switch, Text, Textarea, Title } from "@mantine/core";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { withoutLayout } from "../../../worker/domain/definition-layout.ts";
import type { WorkflowInput, WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import type { Fix } from "../../../schema/contract/problem.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { placeProblems } from "../../workflow-forms/draft-problems.ts";
import type { DraftProblem } from "../../workflow-forms/draft-problems.ts";
import { nodesOf } from "../designer/model/graph-edit.ts";
import { ProblemLine } from "../designer/panel/problem-line.tsx";
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
  /** Opens the field with a problem, in place of the dialog. */
  onOpen: (problem: DraftProblem) => void;
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
  onOpen,
  onPublish,
}: Omit<PublishDialogProps, "opened">) {
  const [message, setMessage] = useState("");
  const checks = useChecks(draft);
  const isChecked = checks.checked === draft || checks.paused !== null;
  const differs = live === null || (live !== undefined && hasUnpublishedChanges(draft, live));
  const isAllowed = isChecked && differs && checks.errors.length === 0;
  const active = activates || (workflow?.active ?? false);
  const action = activates ? publishing.publishAndActivate : publishing.publish;
  const line = (one: DraftProblem) => (
    <ProblemLine key={`${one.path} ${one.message}`} problem={one} onOpen={onOpen} onFix={onFix} />
  );
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
        <Section title={text.problems}>{placeProblems(draft, checks.errors, "error").map(line)}</Section>
      )}
      {checks.warnings.length === 0 ? null : (
        <Section title={text.warnings}>{placeProblems(draft, checks.warnings, "warning").map(line)}</Section>
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
