import { useId } from "react";
import type { ReactNode } from "react";
import type { JsonValue } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import { ChoiceField } from "./choice-field.tsx";
import { CodeField } from "./code-field.tsx";
import { ConnectionSelect } from "./connection-select.tsx";
import type { CodeValues } from "./insert-value.tsx";
import { FieldNotes, useNotesAt } from "./notes.tsx";
import { ObjectsField } from "./objects-field.tsx";
import { hintOf } from "./param-fields.ts";
import type { ParamField } from "./param-fields.ts";
import { WRITTEN } from "./param-value.ts";
import { problemText } from "./problems.ts";
import { RowsField } from "./rows-field.tsx";
import { TextsField } from "./texts-field.tsx";
import { WrittenField } from "./written-field.tsx";

const text = actionForms.params;

export interface ParamInputProps {
  field: ParamField;
  value: JsonValue | undefined;
  /** Of the whole node. */
  problems: readonly FieldError[];
  /** The value's path in the node: `params.script`. */
  path: string;
  readOnly: boolean;
  /** For code: its named values. */
  codeValues?: CodeValues | null;
  /** Undefined removes the parameter. */
  onChange: (value: JsonValue | undefined) => void;
}

/** The control of one parameter of any kind, with its warnings and fixes. */
export function ParamInput(props: ParamInputProps) {
  const id = useId();
  const isNoted = useNotesAt(props.path).length > 0;
  const notes = <FieldNotes id={id} path={props.path} />;
  const { kind } = props.field;
  // Code shows its notes above its buttons; each field of an object shows its own notes.
  const isPlaced = kind === "code" || (kind === "objects" && Array.isArray(props.value));
  return (
    <div data-field={props.path}>
      <Control {...props} notes={notes} notesId={isNoted ? id : undefined} />
      {isPlaced ? null : notes}
    </div>
  );
}

function Control(props: ParamInputProps & { notes: ReactNode; notesId: string | undefined }) {
  const { field, value, problems, path, readOnly, onChange, notes, notesId, codeValues = null } = props;
  const { label, description, required, defaultValue } = field;
  const error = problemText(problems, path);
  const shared = { label, description, required, value, readOnly, onChange };
  const typed = { ...shared, error, describedBy: notesId };
  const hint = hintOf(field);
  switch (field.kind) {
    case "text":
      return <WrittenField {...typed} written={WRITTEN.text} multiline={field.multiline} hint={hint} />;
    case "number":
      return (
        <WrittenField
          {...typed}
          description={describeRange(description, field.min, field.max)}
          written={WRITTEN.number}
          hint={hint}
        />
      );
    case "numberOrNumbers":
      return <WrittenField {...typed} written={WRITTEN.numbers} hint={hint} />;
    case "json":
      return (
        <WrittenField
          {...typed}
          written={WRITTEN.json}
          multiline
          language="json"
          hint={field.shape === "list" ? "[ ]" : "{ }"}
        />
      );
    case "code":
      return <CodeField {...typed} language={field.language} notes={notes} codeValues={codeValues} />;
    case "boolean":
      return (
        <ChoiceField
          {...shared}
          error={error}
          choices={YES_NO}
          defaultLabel={
            defaultValue === undefined ? text.notSet : text.default(defaultValue === true ? text.yes : text.no)
          }
        />
      );
    case "choice":
      return (
        <ChoiceField
          {...shared}
          error={error}
          choices={field.options.map((option) => ({ label: option, value: option }))}
          defaultLabel={defaultValue === undefined ? text.notSet : text.default(hint)}
        />
      );
    case "texts":
    case "textOrTexts":
      return <TextsField {...shared} oneIsEnough={field.kind === "textOrTexts"} problems={problems} path={path} />;
    case "record":
      return (
        <RowsField
          {...shared}
          written={WRITTEN[field.values]}
          problems={problems}
          path={path}
          // `env` and `parameters` need literal names: see checkNamed in worker/domain/graph/params.ts.
          canBeTemplate={!/\.(?:env|parameters)$/u.test(path)}
        />
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
          label={text.secretsFrom}
          description={text.secretsFromHint}
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
  { label: text.yes, value: true },
  { label: text.no, value: false },
];

function describeRange(description: string | null, min: number | null, max: number | null): string | null {
  if (min === null || max === null) return description;
  const range = text.range(min, max);
  return description === null ? range : `${description} ${range}`;
}
