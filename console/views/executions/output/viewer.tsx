import { ActionIcon, Badge, CopyButton, NumberInput, SegmentedControl, Text, TextInput, Tooltip } from "@mantine/core";
import { useFullscreenDocument } from "@mantine/hooks";
import {
  IconArrowDown,
  IconArrowUp,
  IconDownload,
  IconLink,
  IconMaximize,
  IconMinimize,
  IconSearch,
  IconTextWrap,
} from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { executionOutput as texts } from "../../../strings/en/execution-output.ts";
import { Copy } from "../../../ui/copy.tsx";
import { download } from "./download.ts";
import { findAll } from "./find.ts";
import { treeOf } from "./json-entries.ts";
import { JsonTree } from "./json-tree.tsx";
import { LogView } from "./log-view.tsx";
import { terminalText } from "./terminal-text.ts";
import type { ViewerState } from "./use-place.ts";
import classes from "./output.module.css";

export interface ViewerProps {
  label: string;
  text: string;
  /** The text is JSON, which is shown as a tree. */
  isJson: boolean;
  /** Begins with the end of the text. */
  fromEnd: boolean;
  /** Says that the text is not complete. */
  note: string | null;
  /** Whether the address of the page leads to the chosen line. */
  hasLinks: boolean;
  state: ViewerState;
}

/** A whole text, with search. */
export default function Viewer({ label, text, isJson, fromEnd, note, hasLinks, state }: ViewerProps) {
  const shown = useMemo(() => terminalText(text), [text]);
  const tree = useMemo(() => (isJson ? treeOf(text) : null), [isJson, text]);
  const [isTree, setTree] = useState(tree !== null && state.line === null);
  const [wraps, setWraps] = useState(true);
  const search = useSearch(shown.text);
  const field = useRef<HTMLInputElement>(null);
  const { toggle, fullscreen } = useFullscreenDocument();
  const showsTree = tree !== null && isTree && search.wanted === "";

  const onKeyDown = (event: KeyboardEvent) => {
    // The page below has keys, too.
    if (event.key !== "Escape") event.stopPropagation();
    if ((event.ctrlKey || event.metaKey) && event.key === "f") {
      event.preventDefault();
      field.current?.select();
    }
  };
  const chooseLine = (line: number | null) => {
    setTree(false);
    state.choose(line);
  };
  return (
    <div className={classes["body"]} onKeyDown={onKeyDown}>
      <div className={classes["bar"]}>
        {tree === null ? null : (
          <SegmentedControl
            size="xs"
            aria-label={texts.view.label}
            value={showsTree ? "tree" : "text"}
            onChange={(view) => {
              setTree(view === "tree");
              if (view === "tree") search.set("");
            }}
            data={[
              { value: "tree", label: texts.view.tree },
              { value: "text", label: texts.view.text },
            ]}
          />
        )}
        <TextInput
          ref={field}
          className={classes["search"] ?? ""}
          size="xs"
          type="search"
          aria-label={texts.search.label}
          placeholder={texts.search.label}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={search.wanted}
          onChange={(event) => search.set(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") search.move(event.shiftKey ? -1 : 1);
          }}
        />
        <Text component="span" role="status" className={classes["count"] ?? ""}>
          {search.summary}
        </Text>
        <Tool label={texts.search.previous} disabled={search.found.length === 0} onClick={() => search.move(-1)}>
          <IconArrowUp size={16} aria-hidden />
        </Tool>
        <Tool label={texts.search.next} disabled={search.found.length === 0} onClick={() => search.move(1)}>
          <IconArrowDown size={16} aria-hidden />
        </Tool>
        <NumberInput
          className={classes["line"] ?? ""}
          size="xs"
          aria-label={texts.line}
          placeholder={texts.line}
          min={1}
          allowDecimal={false}
          value={state.line ?? ""}
          onChange={(line) => chooseLine(typeof line === "number" && line > 0 ? line : null)}
        />
        {hasLinks && state.line !== null ? (
          <CopyButton value={window.location.href}>
            {({ copied, copy }) => (
              <Tool label={texts.actions.copyLink(state.line ?? 0)} onClick={copy} pressed={copied}>
                <IconLink size={16} aria-hidden />
              </Tool>
            )}
          </CopyButton>
        ) : null}
        <Tool label={texts.hints.wrap} pressed={wraps} onClick={() => setWraps(!wraps)}>
          <IconTextWrap size={16} aria-hidden />
        </Tool>
        <Copy value={text} />
        <Tool label={texts.hints.download} onClick={() => download(text, isJson, label)}>
          <IconDownload size={16} aria-hidden />
        </Tool>
        <Tool
          label={fullscreen ? texts.actions.leaveFullScreen : texts.actions.fullScreen}
          onClick={() => void toggle()}
        >
          {fullscreen ? <IconMinimize size={16} aria-hidden /> : <IconMaximize size={16} aria-hidden />}
        </Tool>
        {note === null ? null : (
          <Badge variant="light" tt="none" radius="sm" color="yellow">
            {note}
          </Badge>
        )}
      </div>
      <div className={classes["content"]}>
        {showsTree ? (
          <JsonTree label={label} value={tree} />
        ) : (
          <LogView
            label={label}
            shown={shown}
            wraps={wraps}
            found={search.found}
            current={search.current}
            line={state.line}
            onLine={chooseLine}
            fromEnd={fromEnd}
          />
        )}
      </div>
    </div>
  );
}

interface ToolProps {
  label: string;
  onClick: () => void;
  pressed?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

function Tool({ label, onClick, pressed, disabled = false, children }: ToolProps) {
  return (
    <Tooltip label={label} withArrow>
      <ActionIcon
        variant={pressed === true ? "light" : "subtle"}
        color="gray"
        aria-label={label}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function useSearch(text: string) {
  const [wanted, setWanted] = useState("");
  const [current, setCurrent] = useState(0);
  const found = useMemo(() => findAll(text, wanted), [text, wanted]);
  const summary =
    wanted === "" ? "" : found.length === 0 ? texts.search.none : texts.search.count(current + 1, found.length);
  return {
    wanted,
    found,
    current,
    summary,
    set: (value: string) => {
      setWanted(value);
      setCurrent(0);
    },
    /** Goes on to the next place, and from the last one to the first. */
    move: (by: 1 | -1) => {
      if (found.length > 0) setCurrent((current + by + found.length) % found.length);
    },
  };
}
