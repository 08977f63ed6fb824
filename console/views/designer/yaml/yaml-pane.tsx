import { Alert, Button, Group, Text } from "@mantine/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useAll } from "../../../api/use-all.ts";
import { LoadingState } from "../../../ui/states.tsx";
import { useDesigner } from "../designer-context.ts";
import { readDraft, writeDraft } from "./draft-text.ts";
import { withoutLayout } from "../../../../worker/domain/definition-layout.ts";
import type { Names } from "../../../../worker/domain/workflow-file/file-of.ts";
import { createEditor } from "./editor.ts";
import type { YamlEditor } from "./editor.ts";
import type { Draft } from "../model/commands.ts";
import { hasPlaces } from "../model/places.ts";
import { isSameDraft } from "../model/same.ts";
import { followDraft } from "./sync.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";
import classes from "./yaml.module.css";

const PAUSE_MS = 150;
const MANY = { query: { limit: 200 } };

/** The draft as YAML. Text and canvas edit the same draft. */
export default function YamlPane() {
  const names = useNames();
  return names === null ? <LoadingState label={designerSaving.yaml.loadingNames} /> : <Pane names={names} />;
}

/** How the text relates to the draft. */
type SyncState =
  | { type: "same" }
  /** The text cannot be read. The canvas shows the last text that could be read. */
  | { type: "unread"; errors: number }
  /** The text cannot be read, and the draft has changed in the meantime. */
  | { type: "differs" };

function Pane({ names }: { names: Names }) {
  const { draft, run, undo, redo, problems, fix, readOnly, unread, setUnread } = useDesigner();
  const holder = useRef<HTMLDivElement>(null);
  const editor = useRef<YamlEditor | null>(null);
  const [syncState, setSyncState] = useState<SyncState>({ type: "same" });
  const isWritten = useRef(false);
  /** The draft that the text was last equal to. */
  const own = useRef(draft);
  const latest = useRef({ draft, run, undo, redo, names, readOnly, syncState, unread, setUnread });
  useEffect(() => {
    latest.current = { draft, run, undo, redo, names, readOnly, syncState, unread, setUnread };
  });

  /** Makes the text the draft if it can be read. */
  const take = useCallback((force: boolean) => {
    const { names, run, syncState, unread, setUnread } = latest.current;
    const keep = (text: string) => setUnread({ text, draft: unread?.draft ?? own.current });
    if (editor.current === null) return;
    const text = editor.current.text();
    const read = readDraft(text, names);
    if (!read.ok) {
      keep(text);
      editor.current.mark(read.errors.map((error) => ({ ...error, severity: "error" })));
      setSyncState((before) => (before.type === "differs" ? before : { type: "unread", errors: read.errors.length }));
      return;
    }
    // The page has asked whether the text or the canvas counts: further typing is not an answer.
    if (syncState.type === "differs" && !force) {
      editor.current.mark([]);
      keep(text);
      return;
    }
    own.current = read.draft;
    setSyncState({ type: "same" });
    setUnread(null);
    run({ do: "replace", draft: read.draft });
  }, []);

  const follow = useCallback((force: boolean) => {
    const { draft, names, setUnread } = latest.current;
    if (editor.current === null) return;
    const expected = writeDraft(draft, names);
    const follows = followDraft(editor.current.text(), expected, draft, names, isWritten.current && !force);
    if (follows.type === "differs") setSyncState({ type: "differs" });
    else {
      if (follows.type === "changes") {
        editor.current.change(follows.changes);
        isWritten.current = false;
      }
      setUnread(null);
      setSyncState({ type: "same" });
    }
  }, []);

  useEffect(() => {
    if (holder.current === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { draft, names, readOnly, unread } = latest.current;
    own.current = draft;
    isWritten.current = unread !== null;
    const created = createEditor(holder.current, {
      text: unread?.text ?? writeDraft(draft, names),
      readOnly,
      onLeave: () => {
        if (timer === undefined) return;
        clearTimeout(timer);
        timer = undefined;
        take(false);
      },
      onWrite: () => {
        isWritten.current = true;
        clearTimeout(timer);
        timer = setTimeout(() => {
          timer = undefined;
          take(false);
        }, PAUSE_MS);
      },
      isInStep: () => latest.current.syncState.type === "same",
      onUndo: () => latest.current.undo(),
      onRedo: () => latest.current.redo(),
    });
    editor.current = created;
    if (unread !== null) {
      const read = readDraft(unread.text, names);
      if (!read.ok) created.mark(read.errors.map((error) => ({ ...error, severity: "error" })));
      const isBehind = read.ok || !isSameDraft(unread.draft, draft);
      setSyncState(isBehind ? { type: "differs" } : { type: "unread", errors: read.errors.length });
    }
    return () => {
      // Takes text from the last moment before the pane closes.
      if (timer !== undefined) take(false);
      clearTimeout(timer);
      created.destroy();
      editor.current = null;
    };
  }, [take]);

  useEffect(() => {
    const isOwn = isRead(own.current, draft);
    own.current = draft;
    if (!isOwn) follow(false);
  }, [draft, follow]);

  // Marks the service's problems at their lines.
  useEffect(() => {
    if (editor.current === null || syncState.type !== "same") return;
    const read = readDraft(editor.current.text(), names);
    if (read.ok) {
      editor.current.mark(
        problems.map(({ path, message, severity, fix: offered }) => ({
          ...read.locate(path),
          path,
          message,
          severity: severity === "error" ? "warning" : "info",
          button: offered === undefined || readOnly ? undefined : { name: offered.title, apply: () => fix(offered) },
        })),
      );
    }
  }, [problems, fix, names, syncState, draft, readOnly]);

  return (
    <>
      {syncState.type === "same" ? null : (
        <Alert color="yellow" variant="light" py={6} radius={0} role="status">
          <Text size="sm">
            {syncState.type === "unread" ? designerSaving.yaml.unread(syncState.errors) : designerSaving.yaml.differs}
          </Text>
          <Group gap="xs" mt={4}>
            <Button size="compact-xs" variant="default" onClick={() => follow(true)}>
              {designerSaving.yaml.replace}
            </Button>
            {syncState.type === "differs" ? (
              <Button size="compact-xs" variant="default" onClick={() => take(true)}>
                {designerSaving.yaml.keep}
              </Button>
            ) : null}
          </Group>
        </Alert>
      )}
      <div ref={holder} className={classes["editor"]} />
      <Text size="xs" c="dimmed" px="sm" py={4}>
        {designerSaving.yaml.about}
      </Text>
    </>
  );
}

/** Whether a draft is the one that was read from the text. A text need not have the positions of its draft. */
function isRead(read: Draft, draft: Draft): boolean {
  const bare = { ...draft, definition: withoutLayout(draft.definition) };
  return read === draft || (!hasPlaces(read.definition) && isSameDraft(read, bare));
}

/** The names of all connections, workflows and limits; null until all are read. */
function useNames(): Names | null {
  const connections = allOf(useAll("/api/v1/automation/connections", MANY));
  const workflows = allOf(useAll("/api/v1/automation/workflows", MANY));
  const limits = allOf(useAll("/api/v1/automation/limits", MANY));
  const names: Names | null =
    connections === null || workflows === null || limits === null
      ? null
      : {
          connections: connections.map(({ id, name, type }) => ({ id, name, type })),
          workflows: workflows.map(({ id, name }) => ({ id, name })),
          limits: limits.map(({ id, name }) => ({ id, name })),
        };
  // Equal names after another read are the same object.
  const text = JSON.stringify(names);
  return useMemo(() => {
    const same: Names | null = JSON.parse(text);
    return same;
  }, [text]);
}

/** All items; null until all are read. After a failed read those known so far, since ids work without names. */
function allOf<T>({ items, error, isWhole }: { items: T[] | undefined; error: unknown; isWhole: boolean }) {
  if (error !== null) return items ?? [];
  return isWhole ? (items ?? null) : null;
}
