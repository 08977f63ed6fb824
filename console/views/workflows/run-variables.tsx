import { Button, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { WorkflowVersionView } from "../../../schema/contract/management.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { readVariables } from "./inputs.ts";
import { examplePath, sampleVariables } from "../../workflow-forms/sample-variables.ts";

const text = workflowTriggers.run;

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
  const [variables] = useState(() => sampleVariables(version.definition));
  const [example] = useState(() => JSON.stringify(variables, null, 2));
  const [typed, setTyped] = useState(example);
  const [problem, setProblem] = useState<string | null>(null);
  const usesNone = example === "{}";
  const { type } = version.trigger;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!usesNone && typed === example) {
          setProblem(text.stillExample);
          return;
        }
        const read = readVariables(typed);
        setProblem(read.ok ? null : read.problem);
        if (read.ok) onRun(read.variables);
      }}
    >
      <Stack gap="sm">
        {usesNone && type !== "cron" ? null : (
          <Text size="sm">{text.hints[type](text.templates(examplePath(type, variables)))}</Text>
        )}
        <Textarea
          label={text.variables}
          description={usesNone ? text.usesNone : text.usesVariables}
          value={typed}
          error={problem}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setProblem(null);
          }}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
        {problem === text.stillExample ? (
          <Button variant="default" onClick={() => onRun(variables)} style={{ alignSelf: "flex-start" }}>
            {text.withExample}
          </Button>
        ) : null}
        {buttons}
      </Stack>
    </form>
  );
}
