import { Button, Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { ForEachNode, Node } from "../../schema/contract/workflow.ts";
import {
  FOREACH_CONCURRENCY_DEFAULT,
  FOREACH_CONCURRENCY_MAX,
  FOREACH_MAX_ITERATIONS,
  FOREACH_PAUSE_MAX_SECONDS,
} from "../../schema/limits.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { NumberField } from "../ui/number-field.tsx";
import { canBeList, checkCompletions } from "./completions.ts";
import { ConditionBuilder } from "./condition-builder.tsx";
import { EMPTY_CONDITION } from "./condition-tree.ts";
import { DurationField } from "./duration-field.tsx";
import { FieldNotes } from "./notes.tsx";
import { OfferedPaths, useOfferedPaths } from "./offered.tsx";
import { problemText } from "./problems.ts";
import { put } from "./put.ts";
import { TemplateField } from "./template-field.tsx";

const text = workflowForms.forEach;

interface ForEachFormProps {
  node: ForEachNode;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** The list of a forEach, and the rules by which its items begin. */
export function ForEachForm(props: ForEachFormProps) {
  const { node, problems, readOnly, onChange } = props;
  const change = (changed: Partial<ForEachNode>) => onChange(put(node, changed));
  const hasBatches = [node.batchSize, node.pauseSeconds, node.check].some((value) => value !== undefined);
  return (
    <Stack gap="sm">
      <div data-field="items">
        <TemplateField
          label={text.items}
          description={text.itemsHint}
          required
          value={node.items}
          hint={text.itemsExample}
          only={canBeList}
          error={problemText(problems, "items")}
          readOnly={readOnly}
          onChange={(items) => change({ items })}
        />
      </div>
      <FieldNotes path="items" />
      <Whole
        {...props}
        field="concurrency"
        label={text.concurrency}
        description={text.concurrencyHint(FOREACH_CONCURRENCY_MAX)}
        placeholder={String(FOREACH_CONCURRENCY_DEFAULT)}
      />
      <div data-field="maxFailures">
        <TextInput
          label={text.maxFailures}
          description={text.maxFailuresHint}
          value={node.maxFailures ?? ""}
          placeholder={node.continueOnError === true ? text.anyNumber : "0"}
          maxLength={16}
          readOnly={readOnly}
          error={problemText(problems, "maxFailures")}
          onChange={({ currentTarget: { value } }) =>
            change({ maxFailures: value === "" ? undefined : /^\d+$/u.test(value) ? Number(value) : value })
          }
        />
      </div>
      <div data-field="continueOnError">
        <Checkbox
          label={text.continueOnError}
          description={text.continueOnErrorHint}
          checked={node.continueOnError === true}
          disabled={readOnly}
          error={problemText(problems, "continueOnError")}
          onChange={(event) => change({ continueOnError: event.currentTarget.checked ? true : undefined })}
        />
      </div>
      <Whole
        {...props}
        field="batchSize"
        label={text.batchSize}
        description={text.batchSizeHint}
        placeholder={text.oneBatch}
      />
      {hasBatches ? <BetweenBatches {...props} /> : null}
      <Text size="sm" c="dimmed">
        {text.inside}
      </Text>
    </Stack>
  );
}

const WHOLE_MAX = { concurrency: FOREACH_CONCURRENCY_MAX, batchSize: FOREACH_MAX_ITERATIONS };

interface WholeProps extends ForEachFormProps {
  field: "concurrency" | "batchSize";
  label: string;
  description: string;
  placeholder: string;
}

function Whole({ node, problems, readOnly, onChange, field, ...shown }: WholeProps) {
  return (
    <div data-field={field}>
      <NumberField
        {...shown}
        min={1}
        max={WHOLE_MAX[field]}
        value={node[field]}
        readOnly={readOnly}
        error={problemText(problems, field)}
        onChange={(next) => onChange(put(node, { [field]: next }))}
      />
    </div>
  );
}

function BetweenBatches({ node, problems, readOnly, onChange }: ForEachFormProps) {
  const [isAsked, setAsked] = useState(false);
  const around = useOfferedPaths();
  const offered = useCallback(() => checkCompletions(around(), node.id), [around, node.id]);
  const setCheck = (check: ConditionGroup | undefined) => onChange(put(node, { check }));
  return (
    <>
      <div data-field="pauseSeconds">
        <DurationField
          label={text.pause}
          emptyLabel={text.noPause}
          min={0}
          max={FOREACH_PAUSE_MAX_SECONDS}
          seconds={node.pauseSeconds}
          error={problemText(problems, "pauseSeconds")}
          readOnly={readOnly}
          onChange={(pauseSeconds) => onChange(put(node, { pauseSeconds }))}
        />
      </div>
      <div>
        <Text size="sm" fw={500}>
          {text.check}
        </Text>
        <Text size="xs" c="dimmed">
          {text.checkHint}
        </Text>
      </div>
      {node.check === undefined ? (
        readOnly ? (
          <Text size="sm">{text.noCheck}</Text>
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            w="fit-content"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => {
              setAsked(true);
              setCheck({ logic: "all", conditions: [EMPTY_CONDITION] });
            }}
          >
            {text.addCheck}
          </Button>
        )
      ) : (
        <OfferedPaths paths={offered}>
          <ConditionBuilder
            group={node.check}
            path="check"
            startsFocused={isAsked}
            problems={problems}
            ofIncident={false}
            readOnly={readOnly}
            onChange={(check) => setCheck(check.conditions.length === 0 ? undefined : check)}
          />
          <FieldNotes path="check" />
        </OfferedPaths>
      )}
    </>
  );
}
