import { MultiSelect, Select } from "@mantine/core";
import type { Condition } from "../../schema/contract/condition.ts";
import { INCIDENT_CHOICES } from "../../worker/domain/incident/fields.ts";
import { conditions } from "../strings/en/conditions.ts";
import { valueKindOf } from "./condition-labels.ts";
import { WRITTEN } from "./param-value.ts";
import { WrittenField } from "./written-field.tsx";

const text = conditions.form;

interface ConditionValueProps {
  condition: Condition;
  /** A condition of an incident trigger: fields with few values offer them, and templates have no meaning. */
  ofIncident: boolean;
  name: string;
  error: string | null;
  readOnly: boolean;
  onChange: (condition: Condition) => void;
}

/** The value that a condition compares with, in the kind that its operator takes. */
export function ConditionValue({ condition, ofIncident, name, error, readOnly, onChange }: ConditionValueProps) {
  const { field, operator, value } = condition;
  const kind = valueKindOf(operator);
  if (kind === "none") return null;
  const choices = ofIncident && Object.hasOwn(INCIDENT_CHOICES, field) ? (INCIDENT_CHOICES[field] ?? null) : null;
  const label = text.value(name);
  if (choices !== null && kind === "list") {
    return (
      <MultiSelect
        aria-label={label}
        placeholder={text.choicesHint}
        data={[...new Set([...choices, ...(Array.isArray(value) ? value.map(String) : [])])]}
        value={Array.isArray(value) ? value.map(String) : []}
        readOnly={readOnly}
        error={error}
        onChange={(next) => onChange({ ...condition, value: next })}
      />
    );
  }
  const isChoice = value === undefined || value === "" || (typeof value === "string" && choices?.includes(value));
  if (choices !== null && kind === "scalar" && operator !== "contains" && operator !== "notContains" && isChoice) {
    return (
      <Select
        aria-label={label}
        placeholder={text.choiceHint}
        data={[...choices]}
        value={typeof value === "string" && value !== "" ? value : null}
        allowDeselect={false}
        readOnly={readOnly}
        error={error}
        onChange={(next) => onChange({ ...condition, value: next ?? "" })}
      />
    );
  }
  return (
    <WrittenField
      label={label}
      labelHidden
      value={value === "" ? undefined : value}
      written={kind === "list" ? WRITTEN.list : kind === "scalar" ? WRITTEN.scalar : WRITTEN.text}
      hint={kind === "list" ? text.valuesHint : kind === "pattern" ? text.patternHint : text.valueHint}
      error={error}
      readOnly={readOnly}
      {...(ofIncident || kind === "pattern" ? { offered: NOTHING } : {})}
      onChange={(next) => onChange({ ...condition, value: next ?? (kind === "list" ? [] : "") })}
    />
  );
}

const NOTHING = () => [];
