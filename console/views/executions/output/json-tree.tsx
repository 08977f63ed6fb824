import { Button } from "@mantine/core";
import { useState } from "react";
import type { KeyboardEvent } from "react";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import { executionOutput as texts } from "../../../strings/en/execution-output.ts";
import { CHARS_SHOWN, describedValue, entriesOf, quotedText, shownEntries } from "./json-entries.ts";
import { terminalText } from "./terminal-text.ts";
import classes from "./output.module.css";

/** Up to so many members of the whole value begin open. */
const OPENED_AT_ONCE = 10;

/** The members of a value, which open and close. Closed ones are not in the page. */
export function JsonTree({ label, value }: { label: string; value: JsonValue }) {
  return (
    <div role="group" aria-label={label} className={classes["tree"]} onKeyDown={moveByKey}>
      <Members value={value} open />
    </div>
  );
}

function Members({ value, open }: { value: JsonValue; open: boolean }) {
  const [limit, setLimit] = useState(shownEntries(0));
  const entries = entriesOf(value);
  return (
    <>
      <ul>
        {entries.slice(0, limit).map(([name, member]) => (
          <li key={name}>
            <Member name={name} value={member} open={open && entries.length <= OPENED_AT_ONCE} />
          </li>
        ))}
      </ul>
      {entries.length <= limit ? null : (
        <Button size="compact-xs" variant="default" onClick={() => setLimit(shownEntries(limit))}>
          {texts.tree.showMore(entries.length - limit)}
        </Button>
      )}
    </>
  );
}

function Member({ name, value, open }: { name: string; value: JsonValue; open: boolean }) {
  const [isOpen, setOpen] = useState(open);
  const title = <span className={classes["name"]}>{terminalText(name).text}</span>;
  if (entriesOf(value).length === 0) {
    return (
      <div className={classes["leaf"]}>
        {title}: <Leaf value={value} />
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}: <span className={classes["brief"]}>{describedValue(value)}</span>
      </summary>
      {isOpen ? <Members value={value} open={false} /> : null}
    </details>
  );
}

function Leaf({ value }: { value: JsonValue }) {
  if (typeof value !== "string") return <span className={classes["literal"]}>{JSON.stringify(value)}</span>;
  const text = terminalText(value.slice(0, CHARS_SHOWN)).text;
  return (
    <>
      <span className={classes["string"]}>{quotedText(text)}</span>
      {value.length <= CHARS_SHOWN ? null : (
        <span className={classes["brief"]}> {texts.tree.cut(value.length - CHARS_SHOWN)}</span>
      )}
    </>
  );
}

/** Arrow keys move between the members that open, and open and close them. */
function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const here = event.target;
  if (!(here instanceof HTMLElement) || here.tagName !== "SUMMARY") return;
  const parent = here.parentElement;
  if (!(parent instanceof HTMLDetailsElement)) return;
  const all = [...event.currentTarget.querySelectorAll("summary")];
  const at = all.indexOf(here);
  switch (event.key) {
    case "ArrowDown":
      all[at + 1]?.focus();
      break;
    case "ArrowUp":
      all[at - 1]?.focus();
      break;
    case "ArrowRight":
      if (parent.open) all[at + 1]?.focus();
      else parent.open = true;
      break;
    case "ArrowLeft":
      if (parent.open) parent.open = false;
      else parent.parentElement?.closest("details")?.querySelector("summary")?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}
