import { Button, Stack, TagsInput, Text, TextInput, Textarea } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { WORKFLOW_TAGS_MAX, WORKFLOW_TAG_MAX_CHARS } from "../../../../schema/limits.ts";
import { useWorkflowTags } from "../../../api/use-workflow-tags.ts";
import { DurationField } from "../../../workflow-forms/duration-field.tsx";
import { isError, problemSentence } from "../../../workflow-forms/problems.ts";
import { useDesigner } from "../designer-context.ts";
import { nodesOf } from "../model/graph-edit.ts";
import { ConcurrencyFields } from "./concurrency-fields.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { RetentionFields } from "./retention-fields.tsx";
import { common } from "../../../strings/en/common.ts";
import { designer } from "../../../strings/en/designer.ts";
import { workflows } from "../../../strings/en/workflows.ts";

const text = designer.workflow;

/** The form of the workflow: its name, description, runbook and the rules for its runs. */
export function WorkflowPanel() {
  const { draft, run, shown, readOnly, openPalette } = useDesigner();
  const wrong = (field: string) =>
    shown
      .filter((problem) => isError(problem) && problem.path === field)
      .map((problem) => problemSentence(problem, field))
      .join(" ") || null;
  const wrongTag = (draft.tags ?? []).map((_, at) => wrong(`tags.${at}`)).find((error) => error !== null) ?? null;
  const { tags: known } = useWorkflowTags();
  const count = nodesOf(draft.definition).length;
  const rest = wrong("definition.nodes");
  return (
    <Stack gap="sm" data-panel-form>
      <TextInput
        data-field="name"
        label={common.name}
        value={draft.name}
        readOnly={readOnly}
        error={wrong("name")}
        onChange={(event) => run({ do: "head", fields: { name: event.currentTarget.value } })}
      />
      <Textarea
        data-field="description"
        label={common.description}
        description={text.descriptionHint}
        autosize
        minRows={3}
        maxRows={10}
        value={draft.description ?? ""}
        readOnly={readOnly}
        error={wrong("description")}
        onChange={(event) => run({ do: "head", fields: { description: event.currentTarget.value } })}
      />
      <TagsInput
        data-part="tags"
        label={text.tags}
        description={text.tagsHint}
        data={known}
        value={draft.tags ?? []}
        readOnly={readOnly}
        error={wrong("tags") ?? wrongTag}
        maxTags={WORKFLOW_TAGS_MAX}
        maxLength={WORKFLOW_TAG_MAX_CHARS}
        onChange={(tags) => run({ do: "head", fields: { tags: tags.map((tag) => tag.trim().toLowerCase()) } })}
      />
      <TextInput
        data-part="runbookUrl"
        label={text.runbook}
        description={text.runbookHint}
        placeholder={text.runbookExample}
        inputMode="url"
        value={draft.runbookUrl ?? ""}
        readOnly={readOnly}
        error={wrong("runbookUrl")}
        onChange={({ currentTarget: { value } }) =>
          run({ do: "head", fields: { runbookUrl: value.trim() === "" ? null : value.trim() } })
        }
      />
      <DurationField
        part="definition.timeoutSeconds"
        label={workflows.overview.timeLimit}
        description={text.timeLimitHint}
        emptyLabel={workflows.overview.noTimeLimit}
        seconds={draft.definition.timeoutSeconds}
        error={wrong("definition.timeoutSeconds")}
        readOnly={readOnly}
        onChange={(timeoutSeconds) => run({ do: "rules", rules: { timeoutSeconds } })}
      />
      <ConcurrencyFields wrong={wrong} />
      <LimitFields wrong={wrong} />
      <RetentionFields wrong={wrong} />
      <Text size="sm" c="dimmed">
        {count === 0 ? text.empty : text.steps(count)}
      </Text>
      {rest === null || count === 0 ? null : (
        <Text size="sm" c="red">
          {rest}
        </Text>
      )}
      {readOnly || count > 0 ? null : (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => openPalette()}>
          {text.addFirst}
        </Button>
      )}
    </Stack>
  );
}
