import { ActionIcon, Group, Select, Tooltip } from "@mantine/core";
import { IconIndentDecrease, IconIndentIncrease, IconTrash } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { conditionOperatorSchema } from "../../schema/contract/condition.ts";
import type { Condition } from "../../schema/contract/condition.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { conditions } from "../strings/en/conditions.ts";
import type { Completion } from "./completion.ts";
import { ConditionValue } from "./condition-value.tsx";
import { OPERATORS, withOperator } from "./condition-labels.ts";
import { problemText } from "./problems.ts";
import { TemplateField } from "./template-field.tsx";

const text = conditions.form;

export interface RowCommands {
  indent: (() => void) | null;
  outdent: (() => void) | null;
  remove: () => void;
}

interface ConditionRowProps {
  condition: Condition;
  name: string;
  path: string;
  problems: readonly FieldError[];
  ofIncident: boolean;
  /** Replaces the paths that the form offers; null: those of the form. */
  fields: (() => readonly Completion[]) | null;
  readOnly: boolean;
  isFocused: boolean;
  commands: RowCommands;
  onFocused: () => void;
  onChange: (condition: Condition) => void;
}

/** One condition: a field, an operator, a value. */
export function ConditionRow(props: ConditionRowProps) {
  const { condition, name, path, problems, ofIncident, fields, readOnly, isFocused, commands, onFocused, onChange } =
    props;
  const row = useRef<HTMLDivElement | null>(null);
  // An editor that is not loaded yet takes the focus as it begins.
  useEffect(() => {
    if (isFocused) row.current?.querySelector<HTMLElement>(".cm-content")?.focus();
  }, [isFocused]);
  return (
    <Group
      ref={row}
      data-field={path}
      role="group"
      aria-label={name}
      gap={6}
      align="flex-start"
      onFocus={() => {
        if (isFocused) onFocused();
      }}
      onKeyDownCapture={(event) => {
        if (!(event.ctrlKey || event.metaKey) || readOnly) return;
        const command = event.key === "]" ? commands.indent : event.key === "[" ? commands.outdent : null;
        if (command === null) return;
        event.preventDefault();
        event.stopPropagation();
        command();
      }}
    >
      <div data-part={`${path}.field`} style={{ flex: "3 1 180px", minWidth: 0 }}>
        <TemplateField
          label={text.field(name)}
          labelHidden
          mode="path"
          startsFocused={isFocused}
          hint={ofIncident ? text.incidentFieldHint : text.fieldHint}
          value={condition.field}
          error={problemText(problems, `${path}.field`)}
          readOnly={readOnly}
          {...(fields === null ? {} : { offered: fields })}
          onChange={(field) => onChange({ ...condition, field })}
        />
      </div>
      <Select
        data-part={`${path}.operator`}
        aria-label={text.operator(name)}
        data={OPERATORS}
        value={condition.operator}
        allowDeselect={false}
        readOnly={readOnly}
        error={problemText(problems, `${path}.operator`)}
        flex="1 1 205px"
        miw={0}
        onChange={(next) => {
          const operator = conditionOperatorSchema.safeParse(next);
          if (operator.success) onChange(withOperator(condition, operator.data));
        }}
      />
      <div data-part={`${path}.value`} style={{ flex: "2 1 140px", minWidth: 0 }}>
        <ConditionValue
          condition={condition}
          ofIncident={ofIncident}
          name={name}
          error={problemText(problems, `${path}.value`)}
          readOnly={readOnly}
          onChange={onChange}
        />
      </div>
      {readOnly ? null : <RowButtons name={name} commands={commands} />}
    </Group>
  );
}

/** The commands of a condition or a group. */
export function RowButtons({ name, commands: { indent, outdent, remove } }: { name: string; commands: RowCommands }) {
  return (
    <Group gap={0} wrap="nowrap" mt={3}>
      <CommandIcon label={text.indent(name)} onClick={indent} icon={<IconIndentIncrease size={16} aria-hidden />} />
      <CommandIcon label={text.outdent(name)} onClick={outdent} icon={<IconIndentDecrease size={16} aria-hidden />} />
      <CommandIcon label={text.remove(name)} onClick={remove} icon={<IconTrash size={16} aria-hidden />} />
    </Group>
  );
}

function CommandIcon({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: (() => void) | null }) {
  return (
    <Tooltip label={label} withArrow>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        disabled={onClick === null}
        onClick={() => onClick?.()}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
