import { Button, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { isError } from "../../../workflow-forms/problems.ts";
import { useDesigner } from "../designer-context.ts";
import { nodesOf } from "../model/graph-edit.ts";

/** The form of the workflow: its name, description and runbook. */
export function WorkflowPanel() {
  const { draft, run, shown, readOnly, openPalette } = useDesigner();
  const wrong = (field: string) =>
    shown
      .filter((problem) => isError(problem) && problem.path === field)
      .map(({ message }) => message)
      .join(" ") || null;
  const count = nodesOf(draft.definition).length;
  const rest = wrong("definition.nodes");
  return (
    <Stack gap="sm" data-panel-form>
      <TextInput
        data-field="name"
        label="Name"
        value={draft.name}
        readOnly={readOnly}
        error={wrong("name")}
        onChange={(event) => run({ do: "head", fields: { name: event.currentTarget.value } })}
      />
      <Textarea
        data-field="description"
        label="Description"
        description="What the workflow fixes, and what the person on call should know."
        autosize
        minRows={3}
        maxRows={10}
        value={draft.description ?? ""}
        readOnly={readOnly}
        error={wrong("description")}
        onChange={(event) => run({ do: "head", fields: { description: event.currentTarget.value } })}
      />
      <TextInput
        label="Runbook"
        description="The address of instructions for people, linked when a run fails."
        placeholder="https://wiki.example.com/runbooks/checkout"
        inputMode="url"
        value={draft.runbookUrl ?? ""}
        readOnly={readOnly}
        error={wrong("runbookUrl")}
        onChange={({ currentTarget: { value } }) =>
          run({ do: "head", fields: { runbookUrl: value.trim() === "" ? null : value.trim() } })
        }
      />
      <Text size="sm" c="dimmed">
        {count === 0
          ? "The workflow has no steps yet."
          : `${count} ${count === 1 ? "step" : "steps"}. Select a step or the trigger to edit it.`}
      </Text>
      {rest === null || count === 0 ? null : (
        <Text size="sm" c="red">
          {rest}
        </Text>
      )}
      {readOnly || count > 0 ? null : (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => openPalette()}>
          Add the first step
        </Button>
      )}
    </Stack>
  );
}
