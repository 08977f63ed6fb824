import { Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import type { GivenNode } from "../../schema/contract/dry-run.ts";
import { NODE_OUTCOMES, outcomeSchema } from "../../schema/contract/workflow.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { dryRun } from "../strings/en/dry-run.ts";
import { WRITTEN } from "./param-value.ts";
import { put } from "./put.ts";
import { WrittenField } from "./written-field.tsx";

const text = dryRun.given;

interface GivenFormProps {
  node: Node;
  given: GivenNode;
  error: string | null;
  /** Undefined: no assumption. */
  onChange: (given: GivenNode | undefined) => void;
}

const NOT_SET = "";

/** The form for a node's assumed result in a dry run, so that the nodes after it can be tried. */
export function GivenForm({ node, given, error, onChange }: GivenFormProps) {
  const outcomes: readonly string[] = NODE_OUTCOMES[node.type];
  const change = (part: Partial<GivenNode>) => {
    const next = put(given, part);
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  const failed = given.outcome === "failure";
  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-start" grow>
        <NativeSelect
          label={text.outcome}
          data={[{ value: NOT_SET, label: text.notSet }, ...outcomes]}
          value={given.outcome ?? NOT_SET}
          error={error}
          onChange={(event) => {
            const outcome = outcomeSchema.safeParse(event.currentTarget.value).data;
            const isFailure = outcome === "failure";
            change({ outcome, status: isFailure ? "failed" : undefined, error: isFailure ? given.error : undefined });
          }}
        />
        {failed ? (
          <TextInput
            label={text.error}
            value={given.error?.message ?? ""}
            onChange={(event) => {
              const message = event.currentTarget.value;
              change({ error: message === "" ? undefined : { message } });
            }}
          />
        ) : null}
      </Group>
      {node.type === "condition" || node.type === "delay" ? null : (
        <WrittenField
          label={text.output}
          description={text.outputHint(`{{nodes.${node.id}.output}}`)}
          value={given.output}
          written={WRITTEN.json}
          multiline
          language="json"
          hint={node.type === "action" ? '{ "stdout": "…", "exitCode": 0 }' : "{ }"}
          readOnly={false}
          onChange={(output) => change({ output })}
        />
      )}
    </Stack>
  );
}
