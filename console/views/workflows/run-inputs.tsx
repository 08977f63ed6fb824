import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { InputField } from "./input-field.tsx";
import { firstTyped, readInputs } from "./inputs.ts";
import type { ManualInputs } from "./inputs.ts";

/** A form for the inputs of a manual trigger. */
export function RunInputs({
  inputs,
  onRun,
  buttons,
}: {
  inputs: ManualInputs;
  onRun: (variables: JsonObject) => void;
  buttons: ReactNode;
}) {
  const [typed, setTyped] = useState(() => firstTyped(inputs));
  const [asked, setAsked] = useState(false);
  const read = readInputs(inputs, typed);
  const problems = asked && !read.ok ? read.problems : {};
  const entries = Object.entries(inputs);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (read.ok) onRun(read.variables);
      }}
    >
      <Stack gap="sm">
        {entries.length === 0 ? <Text size="sm">{workflowTriggers.run.noInputs}</Text> : null}
        {entries.map(([name, input]) => (
          <InputField
            key={name}
            name={name}
            input={input}
            value={typed[name] ?? ""}
            problem={problems[name]}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
        {buttons}
      </Stack>
    </form>
  );
}
