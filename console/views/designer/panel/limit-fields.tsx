import { ActionIcon, Anchor, Button, Group, Input, Select, Stack } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { Link } from "wouter";
import type { WorkflowLimit } from "../../../../schema/contract/limit-group.ts";
import { LIMITS_OF_WORKFLOW_MAX } from "../../../../schema/limits.ts";
import { useAll } from "../../../api/use-all.ts";
import { limits as texts } from "../../../strings/en/limits.ts";
import { OfferedPaths } from "../../../workflow-forms/offered.tsx";
import { put } from "../../../workflow-forms/put.ts";
import { TemplateField } from "../../../workflow-forms/template-field.tsx";
import { exampleKey, triggerCompletions } from "../../../workflow-forms/trigger-completions.ts";
import { useKnownVariables } from "../../../workflow-forms/use-sample.ts";
import { useDesigner } from "../designer-context.ts";

const text = texts.fields;

/** The limits that a workflow counts for. `wrong` gives the message of a field. */
export function LimitFields({ wrong }: { wrong: (field: string) => string | null }) {
  const { draft, run, readOnly } = useDesigner();
  const known = useKnownVariables();
  const { limits = [] } = draft.definition;
  const groups = useAll("/api/v1/automation/limits", { query: { limit: 200 } });
  const change = (changed: WorkflowLimit[]) =>
    run({ do: "rules", rules: { limits: changed.length === 0 ? undefined : changed } });
  const replace = (at: number, limit: WorkflowLimit) => change(limits.with(at, limit));
  if (limits.length === 0 && readOnly) return null;
  return (
    <Input.Wrapper
      labelElement="div"
      label={text.title}
      description={
        <>
          {text.hint}{" "}
          <Anchor component={Link} href="/settings/limits" inherit underline="always">
            {text.manage}
          </Anchor>
        </>
      }
      data-field="definition.limits"
    >
      <Stack gap="xs" mt={4}>
        {limits.map((limit, at) => (
          // Their order is their identity: two may be alike while a person edits them.
          <Stack key={at} gap={4}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <Select
                flex={1}
                data-field={`definition.limits.${at}.groupId`}
                label={text.limit(at + 1)}
                placeholder={text.choose}
                data={optionsOf(groups.items ?? [], limit.groupId)}
                allowDeselect={false}
                searchable
                value={limit.groupId === "" ? null : limit.groupId}
                readOnly={readOnly}
                error={wrong(`definition.limits.${at}.groupId`)}
                onChange={(groupId) => replace(at, { ...limit, groupId: groupId ?? "" })}
              />
              {readOnly ? null : (
                <ActionIcon
                  variant="default"
                  size={36}
                  aria-label={text.remove(at + 1)}
                  onClick={() => change(limits.toSpliced(at, 1))}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              )}
            </Group>
            <div data-field={`definition.limits.${at}.key`}>
              <OfferedPaths paths={() => triggerCompletions(draft, known)}>
                <TemplateField
                  label={text.key(at + 1)}
                  description={text.keyHint(exampleKey(draft.trigger))}
                  value={limit.key ?? ""}
                  error={wrong(`definition.limits.${at}.key`)}
                  readOnly={readOnly}
                  onChange={(key) => replace(at, put(limit, { key: key === "" ? undefined : key }))}
                />
              </OfferedPaths>
            </div>
          </Stack>
        ))}
        {readOnly || limits.length >= LIMITS_OF_WORKFLOW_MAX ? null : (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => change([...limits, { groupId: "" }])}
          >
            {text.add}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

/** A limit that was deleted, or is not read yet, is shown by its id. */
function optionsOf(groups: readonly { id: string; name: string }[], chosen: string) {
  const known = groups.map(({ id, name }) => ({ value: id, label: name }));
  return chosen === "" || groups.some(({ id }) => id === chosen) ? known : [...known, { value: chosen, label: chosen }];
}
