import type { ReactNode } from "react";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { LANGUAGE_NAMES, TEMPLATES_IN_CODE } from "./languages.ts";
import { WRITTEN } from "./param-value.ts";
import { TemplateField } from "./template-field.tsx";

interface CodeFieldProps {
  label: string;
  description: string | null;
  required: boolean;
  language: CodeLanguage | "unknown";
  value: JsonValue | undefined;
  error: string | null;
  describedBy: string | undefined;
  /** What else is to be said of it, right below. */
  notes: ReactNode;
  readOnly: boolean;
  onChange: (value: JsonValue | undefined) => void;
}

/** Code in its language, with how templates may stand in it. */
export function CodeField(props: CodeFieldProps) {
  const { label, description, required, language, value, error, describedBy, notes, readOnly, onChange } = props;
  return (
    <>
      <TemplateField
        label={`${label} (${LANGUAGE_NAMES[language]})`}
        description={
          <>
            {description === null ? null : `${description} `}A value never becomes code. {TEMPLATES_IN_CODE[language]}
          </>
        }
        required={required}
        value={WRITTEN.text.write(value)}
        error={error}
        describedBy={describedBy}
        readOnly={readOnly}
        multiline
        language={language}
        // Code stays a parameter when it is empty: that it is missing is told at its field.
        onChange={(text) => onChange(text)}
      />
      {notes}
    </>
  );
}
