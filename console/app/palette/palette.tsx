import { Kbd, Modal, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { palette as text } from "../../strings/en/palette.ts";
import { useCan } from "../session.tsx";
import { bestMatches } from "./match.ts";
import type { Entry } from "./match.ts";
import classes from "./palette.module.css";
import { useEntries } from "./use-entries.ts";
import { usePastedId } from "./use-pasted-id.ts";

const SHOWN_MAX = 12;

/** Searches pages, things and commands. The keyboard stays in the field: arrows choose, Enter opens. */
export default function Palette({ close }: { close: () => void }) {
  const [here, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const entries = useEntries(here);
  const pasted = usePastedId(typed, useCan("automation:read"));
  const matches = typed.trim() === "" ? entries.first : bestMatches(entries.all, typed, SHOWN_MAX);
  const shown = pasted.entry === null ? matches : [pasted.entry];
  const current = Math.min(chosen, shown.length - 1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);

  const perform = ({ run }: Entry) => {
    close();
    if (typeof run === "function") run();
    else navigate(run.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const entry = shown[current];
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setChosen((current + 1) % Math.max(1, shown.length));
    else if (event.key === "ArrowUp") setChosen((current - 1 + shown.length) % Math.max(1, shown.length));
    else if (event.key === "Enter" && entry !== undefined) perform(entry);
    else return;
    event.preventDefault();
  };
  const notes = [
    shown.length > 0 || typed.trim() === ""
      ? null
      : (pasted.message ?? (entries.isReading ? null : text.nothing(typed.trim()))),
    entries.isReading ? text.loading : null,
    entries.unread.length === 0 ? null : text.unread(entries.unread),
    entries.partial.length === 0 ? null : text.partial(entries.partial),
  ].filter((note) => note !== null);
  return (
    <Modal opened onClose={close} title={text.title} size="lg" yOffset="10dvh" padding="sm">
      <TextInput
        role="combobox"
        aria-label={text.title}
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={shown.length === 0 ? undefined : `${id}-${current}`}
        placeholder={text.placeholder}
        leftSection={<IconSearch size={16} aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        data-autofocus
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={id} role="listbox" aria-label={text.results} className={classes["list"]}>
        {shown.map((entry, index) => (
          // The field has the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={entry.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            className={classes["option"]}
            onClick={() => perform(entry)}
            onMouseMove={() => setChosen(index)}
          >
            <span className={classes["label"]}>{entry.label}</span>
            <Text size="xs" component="span" className={classes["group"] ?? ""}>
              {text.groups[entry.group]}
            </Text>
          </li>
        ))}
      </ul>
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed" mt="xs" role="status">
          {note}
        </Text>
      ))}
      <Text size="xs" c="dimmed" mt="sm" component="div" visibleFrom="sm">
        {text.keys(
          <Kbd size="xs">{text.choose}</Kbd>,
          <Kbd size="xs">{text.enter}</Kbd>,
          <Kbd size="xs">{text.escape}</Kbd>,
        )}
      </Text>
      <VisuallyHidden aria-live="polite">{typed.trim() === "" ? "" : text.found(shown.length)}</VisuallyHidden>
    </Modal>
  );
}
