import type { JsonValue } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { ChoiceField } from "./choice-field.tsx";
import { CodeField } from "./code-field.tsx";
import { ConnectionSelect } from "./connection-select.tsx";
import { ObjectsField } from "./objects-field.tsx";
import type { ParamField } from "./param-fields.ts";
import { WRITTEN } from "./param-value.ts";
import { problemText } from "./problems.ts";
import { RowsField } from "./rows-field.tsx";
import { TextsField } from "./texts-field.tsx";
import { WrittenField } from "./written-field.tsx";

export interface ParamInputProps {
  field: ParamField;
  value: JsonValue | undefined;
  /** Of the whole node. */
  problems: readonly FieldError[];
  /** Where the value stands in the node: `params.script`. */
  path: string;
  readOnly: boolean;
  /** Undefined takes it away. */
  onChange: (value: JsonValue | undefined) => void;
}

/** The control of one parameter, whatever its kind. */
export function ParamInput({ field, value, problems, path, readOnly, onChange }: ParamInputProps) {
  const { label, description, required, defaultValue } = field;
  const error = problemText(problems, path);
  const shared = { label, description, required, value, readOnly, onChange };
  const withDefault = defaultValue === undefined ? "" : String(WRITTEN.json.write(defaultValue));
  switch (field.kind) {
    case "text":
      return (
        <WrittenField {...shared} error={error} written={WRITTEN.text} multiline={field.multiline} hint={withDefault} />
      );
    case "number":
      return (
        <WrittenField
          {...shared}
          description={describeRange(description, field.min, field.max)}
          error={error}
          written={WRITTEN.number}
          hint={withDefault}
        />
      );
    case "numberOrNumbers":
      return <WrittenField {...shared} error={error} written={WRITTEN.numbers} hint={withDefault} />;
    case "json":
      return (
        <WrittenField
          {...shared}
          error={error}
          written={WRITTEN.json}
          multiline
          language="json"
          hint={field.shape === "list" ? "[ ]" : "{ }"}
        />
      );
    case "code":
      return <CodeField {...shared} error={error} language={field.language} />;
    case "boolean":
      return (
        <ChoiceField
          {...shared}
          error={error}
          choices={YES_NO}
          defaultWords={defaultValue === undefined ? "Not set" : `Not set: ${defaultValue === true ? "yes" : "no"}`}
        />
      );
    case "choice":
      return (
        <ChoiceField
          {...shared}
          error={error}
          choices={field.options.map((option) => ({ label: option, value: option }))}
          defaultWords={withDefault === "" ? "Not set" : `Not set: ${withDefault}`}
        />
      );
    case "texts":
    case "textOrTexts":
      return <TextsField {...shared} oneIsEnough={field.kind === "textOrTexts"} problems={problems} path={path} />;
    case "record":
      return (
        <RowsField {...shared} written={WRITTEN[field.values]} problems={problems} path={path} />
      );
    case "objects":
      return (
        <ObjectsField
          {...shared}
          fields={field.fields}
          problems={problems}
          path={path}
          control={(inner, innerValue, innerPath, change) => (
            <ParamInput
              field={inner}
              value={innerValue}
              problems={problems}
              path={innerPath}
              readOnly={readOnly}
              onChange={change}
            />
          )}
        />
      );
    case "secretsFrom":
      return (
        <ConnectionSelect
          label="Secrets from"
          description="A custom connection whose secrets the script finds as environment variables of their names."
          fits={(type) => type === "custom"}
          of="custom"
          value={typeof value === "string" ? value : undefined}
          required={false}
          error={error}
          readOnly={readOnly}
          onChange={onChange}
        />
      );
  }
}

const YES_NO = [
  { label: "Yes", value: true },
  { label: "No", value: false },
];

function describeRange(description: string | null, min: number | null, max: number | null): string | null {
  if (min === null || max === null) return description;
  const range = `A whole number from ${min} to ${max.toLocaleString("en")}, or a template.`;
  return description === null ? range : `${description} ${range}`;
}
