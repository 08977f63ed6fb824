import { Input } from "@mantine/core";
import { Suspense, lazy, useId } from "react";
import type { ReactNode, Ref } from "react";
import type { CompletionMode } from "./complete-templates.ts";
import type { Completion } from "./completion.ts";
import type { EditorHandle } from "./editor.tsx";
import type { EditorLanguage } from "./languages.ts";
import { useOfferedPaths } from "./offered.tsx";

/** The editor is large, and the designer opens without a field. */
const Editor = lazy(() => import("./editor.tsx"));

export interface TemplateFieldProps {
  label: string;
  /** Gives the label to screen readers only: other people read the column's heading. */
  labelHidden?: boolean;
  description?: ReactNode;
  required?: boolean;
  value: string;
  onChange: (text: string) => void;
  error?: string | null;
  /** The id of another element that describes the field. */
  describedBy?: string | undefined;
  readOnly: boolean;
  multiline?: boolean;
  language?: EditorLanguage | null;
  hint?: string;
  mode?: CompletionMode;
  /** Filters the offered paths. */
  only?: (completion: Completion) => boolean;
  /** Replaces the paths that the form offers. */
  offered?: () => readonly Completion[];
  handle?: Ref<EditorHandle>;
  /** Whether the field takes the focus when its editor has loaded. */
  startsFocused?: boolean;
  /** Whether a focus trap around the field starts here. */
  takesFocus?: boolean;
}

/** A field that takes templates: typing `{{` offers the available paths. */
export function TemplateField(props: TemplateFieldProps) {
  const { label, labelHidden = false, description, required = false, value, error = null, readOnly } = props;
  const id = useId();
  const inForm = useOfferedPaths();
  const offered = props.offered ?? inForm;
  const { only } = props;
  const isMultiline = (props.multiline ?? false) || value.includes("\n");
  const describedBy = [
    ...(description === undefined || description === null ? [] : [`${id}-description`]),
    ...(error === null ? [] : [`${id}-error`]),
    ...(props.describedBy === undefined ? [] : [props.describedBy]),
  ];
  return (
    <Input.Wrapper
      id={id}
      label={labelHidden ? undefined : label}
      labelElement="div"
      labelProps={{ "aria-hidden": true }}
      description={description}
      descriptionProps={{ mb: 4 }}
      error={error}
      required={required}
      miw={0}
    >
      <Suspense
        // As high as the editor, so that nothing below moves under the pointer.
        fallback={
          <Input
            component="div"
            data-editor-loading
            multiline
            mih={isMultiline ? "4.5rem" : undefined}
            size="sm"
            ff="monospace"
            style={{ whiteSpace: "pre-wrap" }}
          >
            {value}
          </Input>
        }
      >
        <Editor
          value={value}
          onChange={props.onChange}
          attributes={{
            "aria-label": label,
            ...(required ? { "aria-required": "true" } : {}),
            ...(props.takesFocus === true ? { "data-autofocus": "true" } : {}),
            ...(describedBy.length === 0 ? {} : { "aria-describedby": describedBy.join(" ") }),
          }}
          invalid={error !== null}
          readOnly={readOnly}
          multiline={isMultiline}
          language={props.language ?? null}
          hint={props.hint ?? ""}
          mode={props.mode ?? "template"}
          offered={only === undefined ? offered : () => offered().filter(only)}
          handle={props.handle}
          startsFocused={props.startsFocused ?? false}
        />
      </Suspense>
    </Input.Wrapper>
  );
}
