import { Group, Stack, Text } from "@mantine/core";
import type { WorkflowRetention } from "../../../../schema/contract/retention.ts";
import { RETENTION_DAYS_MAX } from "../../../../schema/limits.ts";
import { retention } from "../../../strings/en/retention.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { useDesigner } from "../designer-context.ts";

const text = retention.workflow;
const FIELDS = ["executionDays", "failedDays"] as const;

/** How long the workflow's executions are kept. `wrong` gives the message of a field. */
export function RetentionFields({ wrong }: { wrong: (field: string) => string | null }) {
  const { draft, run, readOnly } = useDesigner();
  const change = (name: (typeof FIELDS)[number], days: number | undefined) => {
    const { [name]: _former, ...others } = draft.retention ?? {};
    const next: WorkflowRetention = days === undefined ? others : { ...others, [name]: days };
    run({ do: "head", fields: { retention: Object.keys(next).length === 0 ? null : next } });
  };
  return (
    <Stack gap={4}>
      <Group grow align="flex-start">
        {FIELDS.map((name) => (
          <NumberField
            key={name}
            data-part={`retention.${name}`}
            label={text[name]}
            min={1}
            max={RETENTION_DAYS_MAX}
            value={draft.retention?.[name]}
            readOnly={readOnly}
            error={wrong(`retention.${name}`)}
            onChange={(value) => change(name, value)}
          />
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        {text.hint}
      </Text>
    </Stack>
  );
}
