import { useRef } from "react";
import type { ReactNode } from "react";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import type { EditorHandle } from "./editor.tsx";
import { InsertValue } from "./insert-value.tsx";
import type { CodeValues } from "./insert-value.tsx";
import { WRITTEN } from "./param-value.ts";
import { TemplateField } from "./template-field.tsx";

const text = actionForms.code;

interface CodeFieldProps {
  label: string;
  description: string | null;
  required: boolean;
  language: CodeLanguage | "unknown";
  value: JsonValue | undefined;
  error: string | null;
  describedBy: string | undefined;
  /** Warnings and fixes, right below the code. */
  notes: ReactNode;
  readOnly: boolean;
  /** Null for code that gets no named values. */
  codeValues: CodeValues | null;
  onChange: (value: JsonValue | undefined) => void;
}

/** Code in its language, with a way to insert values. */
export function CodeField(props: CodeFieldProps) {
  const { label, description, required, language, value, error, describedBy, notes, readOnly, codeValues, onChange } =
    props;
  const editor = useRef<EditorHandle>(null);
  return (
    <>
      <TemplateField
        label={text.label(label, text.languages[language])}
        description={
          <>
            {description === null ? null : `${description} `}
            {text.templates[language]}
          </>
        }
        required={required}
        value={WRITTEN.text.write(value)}
        error={error}
        describedBy={describedBy}
        readOnly={readOnly}
        multiline
        language={language}
        handle={editor}
        // Empty code stays a parameter, so that its field shows that code is required.
        onChange={(text) => onChange(text)}
      />
      {notes}
      {readOnly ? null : (
        <InsertValue language={language} editor={editor} codeValues={codeValues} onChange={onChange} />
      )}
    </>
  );
}
