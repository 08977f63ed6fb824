import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconBraces } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import type { CodeLanguage } from "../../schema/contract/action.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { objectOf } from "../../schema/contract/json-object.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import { partsOf } from "./completions.ts";
import type { EditorHandle } from "./editor.tsx";
import { importsOs, nameFor, referenceTo } from "../../worker/domain/graph/name-for-value.ts";
import { inPlace } from "./named-value.ts";
import type { NamedKind } from "../../worker/domain/graph/name-for-value.ts";
import { isInsideQuotes } from "./quotes.ts";
import { TemplateField } from "./template-field.tsx";

const text = actionForms.insert;

/** The named values of code: environment variables or parameters. */
export interface CodeValues {
  kind: NamedKind;
  value: JsonValue | undefined;
  /** `code`: the new code, when it changes together with the values. */
  onChange: (values: JsonObject, code?: string) => void;
}

interface InsertValueProps {
  language: CodeLanguage | "unknown";
  editor: RefObject<EditorHandle | null>;
  codeValues: CodeValues | null;
  /** Stays open, in an editor that fills the screen. */
  stays: boolean;
  onChange: (code: string) => void;
}

/** Inserts a value into code as a template, or as a reference to a named value. It never inserts inside quotes. */
export function InsertValue(props: InsertValueProps) {
  const [open, setOpen] = useState(false);
  const [message, setMessage] = useState("");
  const { codeValues, stays } = props;
  return (
    <Stack gap={6} mt={6}>
      {stays ? (
        <Text size="sm" fw={500}>
          {text.title}
        </Text>
      ) : (
        <Button
          size="compact-xs"
          variant="default"
          w="fit-content"
          leftSection={<IconBraces size={14} aria-hidden />}
          aria-expanded={open}
          onClick={() => {
            setOpen(!open);
            setMessage("");
          }}
        >
          {text.title}
        </Button>
      )}
      {open || stays ? (
        <Chooser {...props} onMessage={setMessage} onDone={() => setOpen(false)} codeValues={codeValues} />
      ) : null}
      <Text size="xs" role="status" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {message}
      </Text>
    </Stack>
  );
}

interface ChooserProps extends InsertValueProps {
  onMessage: (message: string) => void;
  onDone: () => void;
}

function Chooser({ language, editor, codeValues, stays, onChange, onMessage, onDone }: ChooserProps) {
  const [typed, setTyped] = useState("");
  const box = useRef<HTMLDivElement>(null);
  // The field lists its options as soon as it has the focus.
  const focuses = useRef(!stays);
  useEffect(() => {
    if (focuses.current) box.current?.querySelector<HTMLElement>(".cm-content")?.focus();
  }, []);
  const path = typed.trim();
  const parts = partsOf(path);
  const template = `{{${path}}}`;
  const written = inPlace(template, language);
  const isInside = (): boolean => {
    const cursor = editor.current?.cursor();
    return cursor !== undefined && isInsideQuotes(cursor.text, cursor.at, language);
  };

  const finish = () => {
    setTyped("");
    onDone();
  };

  const insertInPlace = () => {
    if (written === null) return;
    if (isInside()) return onMessage(text.insideQuotes);
    editor.current?.insert(written, onChange);
    onMessage(text.inserted(written));
    finish();
  };

  const pass = ({ kind, value, onChange: change }: CodeValues) => {
    const label = text.kinds[kind];
    if (typeof value === "string") return onMessage(text.oneTemplate(label));
    const present = objectOf(value);
    const name = nameFor(parts ?? [], template, kind, present);
    const values = { ...present, [name]: template };
    const reference = referenceTo(name, language);
    if (isInside()) return onMessage(text.insideQuotes);
    if (reference === null) {
      change(values);
      return onMessage(text.added(name, label));
    }
    editor.current?.insert(reference, (code) => {
      change(values, code);
      const done = text.insertedAndAdded(reference, name, label);
      const needsImport = language === "python" && !importsOs(code);
      onMessage(needsImport ? text.needsImport(done) : done);
    });
    finish();
  };

  return (
    <Paper ref={box} withBorder p="xs" role="group" aria-label={text.title}>
      <Stack gap="xs">
        <TemplateField
          label={text.value}
          description={text.valueHint}
          hint={text.example}
          mode="path"
          value={typed}
          error={path === "" || parts !== null ? null : text.noPath}
          readOnly={false}
          onChange={setTyped}
        />
        <Group gap={6}>
          {written === null ? null : (
            <Button size="compact-xs" variant="default" disabled={parts === null} onClick={insertInPlace}>
              {text.inPlace}
            </Button>
          )}
          {codeValues === null ? null : (
            <Button size="compact-xs" variant="default" disabled={parts === null} onClick={() => pass(codeValues)}>
              {text.passAs[codeValues.kind]}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
