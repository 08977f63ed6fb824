import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import type { NodePreview } from "../../../schema/contract/dry-run.ts";
import type { DesignerState, UnreadText } from "./designer-context.ts";
import { editing } from "./editing.ts";
import type { Draft } from "./model/commands.ts";
import type { History } from "./model/history.ts";
import { automaticPlaces, placeNodes, structureOf } from "./model/places.ts";
import { TRIGGER_ID } from "./model/trigger.ts";
import { placeProblems } from "./model/problems.ts";
import type { DraftProblem } from "./model/problems.ts";
import { NOTHING, onlyNode } from "./selection.ts";
import type { Selection } from "./selection.ts";
import { useChecks } from "./use-checks.ts";
import type { Checks } from "./use-checks.ts";
import { useHistory } from "./use-history.ts";

const SAID_MS = 6_000;
/** A node that was just added is on the page within so many frames, and what was open above it has closed. */
const REVEAL_FRAMES = 40;

interface Opens {
  readOnly: boolean;
  openPalette: DesignerState["openPalette"];
  openConnect: DesignerState["openConnect"];
}

/** What has just begun shows first what its trigger still wants to know: a schedule its times. */
function firstSelection({ draft }: History): Selection {
  return draft.definition.nodes.length === 0 && draft.trigger.type !== "webhook" ? onlyNode(TRIGGER_ID) : NOTHING;
}

/** The draft with everything that belongs to editing it: history, selection, problems, places. */
export function useDesignerState(initial: History, { readOnly, openPalette, openConnect }: Opens) {
  const { history, run: tell, pause, restart, undo: goBack, redo: goOn } = useHistory(initial);
  const { draft } = history;
  const [selection, setSelection] = useState<Selection>(() => firstSelection(initial));
  const [preview, setPreview] = useState<ReadonlyMap<string, NodePreview> | null>(null);
  const [unread, setUnread] = useState<UnreadText | null>(null);
  const [said, say] = useSaid();
  const reveal = useRef<((id: string) => boolean) | null>(null);
  const checks = useChecks(draft);
  const [refused, setRefused] = useState<RefusedDraft | null>(null);
  const problems = useProblems(checks, refused?.draft === draft ? refused : null);

  // Steps end where the selection does: the same field, come back to, is another step.
  const select = useCallback(
    (next: Selection | ((before: Selection) => Selection)) => {
      setSelection(next);
      pause();
    },
    [pause],
  );
  const run = useCallback<DesignerState["run"]>(
    (command) => {
      if (readOnly) return;
      tell(command);
      // What would run was said of another draft.
      if (command.do !== "place" && command.do !== "arrange") setPreview(null);
    },
    [readOnly, tell],
  );
  const { checked } = checks;
  const fix = useCallback(
    (one: Fix) => {
      // Its places are those of the draft that was checked.
      if (checked !== draft) return say("The draft has changed since. It is checked again: press it then.");
      run({ do: "fix", fix: one });
      say(`Changed: ${one.title}. Ctrl Z takes it back.`);
    },
    [checked, draft, run, say],
  );
  const undo = useCallback(() => {
    goBack();
    setPreview(null);
  }, [goBack]);
  const redo = useCallback(() => {
    goOn();
    setPreview(null);
  }, [goOn]);
  const show = useCallback(
    (id: string) => {
      select(onlyNode(id));
      revealSoon(() => reveal.current?.(id) ?? false);
    },
    [select],
  );
  const structure = structureOf(draft.definition);
  // The automatic layout heeds the structure alone, and takes its time with hundreds of nodes.
  // oxlint-disable-next-line react/exhaustive-deps
  const automatic = useMemo(() => automaticPlaces(draft.definition), [structure]);
  const boxes = useMemo(() => placeNodes(draft.definition, automatic), [draft.definition, automatic]);

  const { add, removeSelected, copy, copySelected, duplicateSelected, paste } = editing({
    draft,
    run,
    selection,
    select,
    show,
    say,
    readOnly,
  });
  const state: DesignerState = {
    draft,
    run,
    undo,
    redo,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    selection,
    select,
    show,
    add,
    openPalette,
    openConnect,
    removeSelected,
    copySelected,
    duplicateSelected,
    problems,
    fix,
    unread,
    setUnread,
    preview,
    readOnly,
    say,
  };
  const onPreview = useCallback(
    (list: NodePreview[] | null) => setPreview(list === null ? null : new Map(list.map((node) => [node.nodeId, node]))),
    [],
  );
  return { state, history, restart, setRefused, boxes, checks, said, reveal, onPreview, copy, paste };
}

/** A draft that the person may not save or publish, and what the service said about its nodes. */
export interface RefusedDraft {
  draft: Draft;
  errors: readonly FieldError[];
}

function useProblems({ errors, warnings, checked }: Checks, refused: RefusedDraft | null): readonly DraftProblem[] {
  // Paths are those of the draft that was checked: its nodes may stand elsewhere by now.
  return useMemo(
    () => [
      ...(refused === null ? [] : placeProblems(refused.draft, refused.errors, "error")),
      ...(checked === null
        ? []
        : [...placeProblems(checked, errors, "error"), ...placeProblems(checked, warnings, "warning")]),
    ],
    [errors, warnings, checked, refused],
  );
}

function useSaid(): [string | null, (words: string) => void] {
  const [said, setSaid] = useState<{ words: string } | null>(null);
  useEffect(() => {
    if (said === null) return undefined;
    const timer = setTimeout(() => setSaid(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return [said?.words ?? null, useCallback((words: string) => setSaid({ words }), [])];
}

/**
 * Tries with every frame until it has held for a few: a dialog that closes gives the focus away once more. Whoever points
 * somewhere else meanwhile goes there.
 */
function revealSoon(attempt: () => boolean): void {
  let held = 0;
  let frames = 0;
  const given = new AbortController();
  addEventListener("pointerdown", () => given.abort(), { capture: true, signal: given.signal });
  const next = () => {
    if (given.signal.aborted) return;
    frames += 1;
    held = attempt() ? held + 1 : 0;
    if (held < 4 && frames < REVEAL_FRAMES) requestAnimationFrame(next);
    else given.abort();
  };
  requestAnimationFrame(next);
}
