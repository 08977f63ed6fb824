import { Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { LimitGroupInput, LimitGroupView } from "../../../../schema/contract/limit-group.ts";
import { LIMIT_PERIOD_MAX_SECONDS, LIMIT_PERIOD_MIN_SECONDS, LIMIT_RUNS_MAX } from "../../../../schema/limits.ts";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { common } from "../../../strings/en/common.ts";
import { limits } from "../../../strings/en/limits.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { toastSuccess } from "../../../ui/toast.tsx";
import { DurationField } from "../../../workflow-forms/duration-field.tsx";

const text = limits.form;
const NEW: LimitGroupInput = { name: "", maxRuns: 3, periodSeconds: 3_600, whenReached: "end" };
const CHOICES = ["end", "approve"] as const;

/** Creates a limit, or changes an existing one. */
export function LimitForm({ limit, close }: { limit: LimitGroupView | null; close: () => void }) {
  const [{ name, maxRuns, periodSeconds, whenReached }, setFields] = useState<LimitGroupInput>(limit ?? NEW);
  const change = (fields: Partial<LimitGroupInput>) => setFields((before) => ({ ...before, ...fields }));
  const save = useAction(
    (body: LimitGroupInput, options) =>
      limit === null
        ? call("POST", "/api/v1/automation/limits", { body }, options)
        : call("PUT", "/api/v1/automation/limits/{id}", { path: { id: limit.id }, body }, { ifMatch: limit.revision }),
    {
      refreshes: ["/api/v1/automation/limits"],
      onDone: (saved) => {
        const done = limit === null ? text.created(saved.name) : text.saved(saved.name);
        toastSuccess(saved.warnings?.length === 0 ? done : text.unused(done));
        close();
      },
    },
  );
  const errors = useFieldErrors(save.error, { name, maxRuns, periodSeconds });
  const error = errors.of;
  return (
    <DialogForm
      title={limit === null ? limits.create : limits.edit(limit.name)}
      submitLabel={limit === null ? common.create : common.save}
      close={close}
      submit={() => save.mutate({ name: name.trim(), maxRuns, periodSeconds, whenReached })}
      isPending={save.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        placeholder={text.exampleName}
        required
        maxLength={200}
        data-autofocus
        value={name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={error("name")}
      />
      <NumberField
        label={text.maxRuns}
        description={text.maxRunsHint}
        required
        min={1}
        max={LIMIT_RUNS_MAX}
        value={maxRuns}
        onChange={(value) => change({ maxRuns: value })}
        error={error("maxRuns")}
      />
      <DurationField
        label={text.period}
        description={text.periodHint}
        min={LIMIT_PERIOD_MIN_SECONDS}
        max={LIMIT_PERIOD_MAX_SECONDS}
        seconds={periodSeconds}
        error={error("periodSeconds")}
        readOnly={false}
        onChange={(seconds) => change({ periodSeconds: seconds ?? Number.NaN })}
      />
      <Radio.Group
        label={text.whenReached}
        value={whenReached}
        onChange={(value) => change({ whenReached: CHOICES.find((one) => one === value) ?? "end" })}
      >
        <Stack gap="xs" mt={4}>
          {CHOICES.map((one) => (
            <Radio key={one} value={one} label={text.choices[one].label} description={text.choices[one].what} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}
