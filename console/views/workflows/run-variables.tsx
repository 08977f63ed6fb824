import { Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { WorkflowVersionView } from "../../../schema/contract/management.ts";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { readVariables } from "./inputs.ts";
import { sampleVariables } from "../../workflow-forms/sample-variables.ts";

/** Variables as JSON for other triggers, with an example of the variables that the templates use. */
export function RunVariables({
  version,
  onRun,
  buttons,
}: {
  version: WorkflowVersionView;
  onRun: (variables: JsonObject) => void;
  buttons: ReactNode;
}) {
  const [example] = useState(() => JSON.stringify(sampleVariables(version.definition), null, 2));
  const [text, setText] = useState(example);
  const [problem, setProblem] = useState<string | null>(null);
  const usesNone = example === "{}";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!usesNone && text === example) {
          setProblem("These are example values. Replace them, or clear the field to run without variables.");
          return;
        }
        const read = readVariables(text);
        setProblem(read.ok ? null : read.problem);
        if (read.ok) onRun(read.variables);
      }}
    >
      <Stack gap="sm">
        <Text size="sm">{HINTS[version.trigger.type]}</Text>
        <Textarea
          label="Variables"
          description={
            usesNone
              ? "A JSON object. The workflow's templates use no variables."
              : "A JSON object with the variables that the templates use. Replace the example values."
          }
          value={text}
          error={problem}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
        {buttons}
      </Stack>
    </form>
  );
}

/** The source of the trigger's templates in a manual run. */
const HINTS = {
  webhook: "Templates with webhook use these variables.",
  manual: "Templates with inputs use these variables.",
  incident: "A manual run has no incident: templates with incident use the variable named incident.",
  cron: "The template of the scheduled time uses the current time.",
} as const satisfies Record<TriggerType, string>;
