import { Alert, SimpleGrid, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { keysOf } from "../../../../schema/contract/records.ts";
import type { RetentionPeriods } from "../../../../schema/contract/retention.ts";
import { RETENTION_DAYS_MAX } from "../../../../schema/limits.ts";
import { call } from "../../../api/client.ts";
import { useAction, useRead } from "../../../api/queries.ts";
import { retention as text } from "../../../strings/en/retention.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { toastSuccess } from "../../../ui/toast.tsx";

const PATH = "/api/v1/automation/retention";
const COUNTED_AFTER_MS = 400;
export const PERIODS = keysOf(text.periods);

interface RetentionDialogProps {
  periods: RetentionPeriods;
  /** Of these periods: another administrator's later change is not overwritten. */
  revision: number;
  close: () => void;
}

/** Changes the periods, and shows what shorter ones delete. */
export function RetentionDialog({ periods, revision, close }: RetentionDialogProps) {
  const [typed, setTyped] = useState(periods);
  const [seen] = useState(revision);
  const save = useAction((body: RetentionPeriods) => call("PUT", PATH, { body }, { ifMatch: seen }), {
    refreshes: [PATH],
    onDone: () => {
      toastSuccess(text.dialog.done);
      close();
    },
  });
  const errors = useFieldErrors(save.error, typed);
  return (
    <DialogForm
      title={text.dialog.title}
      submitLabel={text.dialog.submit}
      close={close}
      submit={() => save.mutate(typed)}
      isPending={save.isPending}
      error={errors.rest}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
        {PERIODS.map((name) => (
          <NumberField
            key={name}
            label={text.dialog.days(text.periods[name])}
            error={errors.of(name)}
            min={1}
            max={RETENTION_DAYS_MAX}
            required
            withAsterisk={false}
            value={typed[name]}
            onChange={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </SimpleGrid>
      <WhatGoes periods={periods} typed={typed} />
    </DialogForm>
  );
}

/** The rows that the shorter periods delete. */
function WhatGoes({ periods, typed }: { periods: RetentionPeriods; typed: RetentionPeriods }) {
  const shorter = PERIODS.filter((name) => isPeriod(typed[name]) && typed[name] < periods[name]);
  const query = Object.fromEntries(shorter.map((name) => [name, String(typed[name])]));
  const [asked] = useDebouncedValue(JSON.stringify(query), COUNTED_AFTER_MS);
  const preview = useRead(`${PATH}/preview`, { query: JSON.parse(asked) }, { enabled: asked !== "{}" });
  if (shorter.length === 0) return null;
  const isCounted = asked === JSON.stringify(query) && preview.data !== undefined;
  const due = preview.data?.kinds.filter(({ due: { rows } }) => rows > 0) ?? [];
  return (
    <Alert color="yellow" role="status">
      <Text size="sm">
        {isCounted
          ? due.length === 0
            ? text.dialog.deletesNothing
            : `${text.dialog.deletes(due)} ${text.dialog.forGood}`
          : text.dialog.counting}
      </Text>
    </Alert>
  );
}

function isPeriod(days: number): boolean {
  return Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX;
}
