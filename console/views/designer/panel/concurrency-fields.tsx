import { Select } from "@mantine/core";
import type { Concurrency } from "../../../../schema/contract/concurrency.ts";
import { QUEUED_RUNS_DEFAULT, QUEUED_RUNS_MAX } from "../../../../schema/limits.ts";
import { concurrency as text } from "../../../strings/en/concurrency.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { OfferedPaths } from "../../../workflow-forms/offered.tsx";
import { put } from "../../../workflow-forms/put.ts";
import { TemplateField } from "../../../workflow-forms/template-field.tsx";
import { exampleKey, triggerCompletions } from "../../../workflow-forms/trigger-completions.ts";
import { useKnownVariables } from "../../../workflow-forms/use-sample.ts";
import { useDesigner } from "../designer-context.ts";

const MODES = ["allow", "queue", "skip", "cancelPrevious"] as const satisfies readonly Concurrency["mode"][];

/** What a start does while another run with the same key is open. `wrong` gives the message of a field. */
export function ConcurrencyFields({ wrong }: { wrong: (field: string) => string | null }) {
  const { draft, run, readOnly } = useDesigner();
  const known = useKnownVariables();
  const { concurrency } = draft.definition;
  const mode = concurrency?.mode ?? "allow";
  const change = (changed: Concurrency | undefined) => run({ do: "rules", rules: { concurrency: changed } });
  return (
    <>
      <Select
        data-field="definition.concurrency.mode"
        label={text.mode}
        description={text.modeHints[mode]}
        data={MODES.map((value) => ({ value, label: text.modes[value] }))}
        allowDeselect={false}
        value={mode}
        readOnly={readOnly}
        error={wrong("definition.concurrency.mode")}
        onChange={(value) => {
          const next = MODES.find((each) => each === value) ?? "allow";
          const { maxQueued: _ofQueue, ...rest } = concurrency ?? {};
          change(next === "allow" ? undefined : { ...(next === "queue" ? concurrency : rest), mode: next });
        }}
      />
      {concurrency === undefined || mode === "allow" ? null : (
        <div data-field="definition.concurrency.key">
          <OfferedPaths paths={() => triggerCompletions(draft, known)}>
            <TemplateField
              label={text.key}
              description={text.keyHint(exampleKey(draft.trigger))}
              value={concurrency.key ?? ""}
              error={wrong("definition.concurrency.key")}
              readOnly={readOnly}
              onChange={(key) => change(put(concurrency, { key: key === "" ? undefined : key }))}
            />
          </OfferedPaths>
        </div>
      )}
      {concurrency?.mode === "queue" ? (
        <NumberField
          data-field="definition.concurrency.maxQueued"
          label={text.maxQueued}
          description={text.maxQueuedHint}
          placeholder={String(QUEUED_RUNS_DEFAULT)}
          min={1}
          max={QUEUED_RUNS_MAX}
          value={concurrency.maxQueued}
          readOnly={readOnly}
          error={wrong("definition.concurrency.maxQueued")}
          onChange={(maxQueued) => change(put(concurrency, { maxQueued }))}
        />
      ) : null}
    </>
  );
}
