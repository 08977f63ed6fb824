import { ActionIcon, Button, Text } from "@mantine/core";
import { useFocusTrap, useMergedRef } from "@mantine/hooks";
import { IconMaximize } from "@tabler/icons-react";
import { useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import type { EditorHandle } from "./editor.tsx";
import { InsertValue } from "./insert-value.tsx";
import type { CodeValues } from "./insert-value.tsx";
import { WRITTEN } from "./param-value.ts";
import { TemplateField } from "./template-field.tsx";
import classes from "./code-field.module.css";

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

/** Code in its language, with a way to insert values. The same editor fills the screen on request. */
export function CodeField(props: CodeFieldProps) {
  const { label, description, required, language, value, error, describedBy, notes, readOnly, codeValues, onChange } =
    props;
  const editor = useRef<EditorHandle>(null);
  const [isFull, setFull] = useState(false);
  const box = useFullScreen(isFull);
  const name = text.label(label, text.languages[language]);
  const close = () => {
    setFull(false);
    editor.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isFull) return;
    // The list of keyboard shortcuts would open behind this editor.
    if (event.key === "?") event.stopPropagation();
    // A list of completions takes Escape first.
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    close();
  };
  return (
    <div
      ref={box}
      className={classes["code"]}
      role={isFull ? "dialog" : "presentation"}
      {...(isFull
        ? { "aria-modal": true, "aria-label": name, "data-full": true, "data-live-errors": true, tabIndex: -1 }
        : {})}
      onKeyDown={onKeyDown}
    >
      {isFull ? (
        <header className={classes["head"]}>
          <Text fw={600}>{name}</Text>
          <Button size="xs" onClick={close}>
            {text.done}
          </Button>
        </header>
      ) : (
        <ActionIcon
          className={classes["expand"] ?? ""}
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={text.fullScreen(label)}
          title={text.fullScreen(label)}
          onClick={() => setFull(true)}
        >
          <IconMaximize size={14} aria-hidden />
        </ActionIcon>
      )}
      <TemplateField
        label={name}
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
        takesFocus={isFull}
        // Empty code stays a parameter, so that its field shows that code is required.
        onChange={(next) => onChange(next)}
      />
      <div className={classes["beside"]}>
        {notes}
        {readOnly ? null : (
          <InsertValue language={language} editor={editor} codeValues={codeValues} stays={isFull} onChange={onChange} />
        )}
      </div>
    </div>
  );
}

/** Moves an element above everything else on the page without a new place in the document: its state and focus stay. */
function useFullScreen(isFull: boolean) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!isFull || element === null) return undefined;
    element.popover = "manual";
    element.showPopover();
    return () => {
      if (element.isConnected) element.hidePopover();
      element.popover = null;
    };
  }, [isFull]);
  return useMergedRef(box, useFocusTrap(isFull));
}
