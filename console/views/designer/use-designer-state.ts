import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import type { NodePreview } from "../../../schema/contract/dry-run.ts";
import type { CanvasHandle } from "./canvas/use-canvas-handle.ts";
import type { DesignerState, UnreadText } from "./designer-context.ts";
import { editing } from "./editing.ts";
import type { Command, Draft } from "./model/commands.ts";
import { reduceHistory } from "./model/history.ts";
import type { History } from "./model/history.ts";
import { arrange, hasPlaces, placeNodes, structureOf } from "./model/places.ts";
import { TRIGGER_ID } from "./model/trigger.ts";
import { isOfTrigger, placeProblems } from "../../workflow-forms/draft-problems.ts";
import type { DraftProblem } from "../../workflow-forms/draft-problems.ts";
import { ALL_SHOWN, entered, inForm, isShown, left, renamed, withAdded } from "./model/quiet.ts";
import type { FormId, Quiet } from "./model/quiet.ts";
import { NOTHING, onlyNode, selectionIn } from "./selection.ts";
import type { Selection } from "./selection.ts";
import { untilHeld } from "./until-held.ts";
import { openField, partOf } from "../../workflow-forms/open-field.ts";
import { useOnlyConnection } from "../../workflow-forms/connection-select.tsx";
import { sampleWarnings } from "../../workflow-forms/sample-warnings.ts";
import { useKnownRequest } from "../../workflow-forms/use-sample.ts";
import { useChecks } from "./use-checks.ts";
import type { Checks } from "./use-checks.ts";
import { useWhenReleased } from "./use-when-released.ts";
import { designer } from "../../strings/en/designer.ts";

const text = designer.problems;

const MESSAGE_MS = 6_000;
/** Within so many frames a new node is rendered, and a dialog above it has closed. */
const REVEAL_FRAMES = 40;
/** A field can need an editor that is still to be loaded. */
const FIELD_FRAMES = 600;

interface Opens {
  readOnly: boolean;
  openPalette: DesignerState["openPalette"];
  openConnect: DesignerState["openConnect"];
  /** Shows the form of the selection. */
  openForm: () => void;
}

/** A new workflow opens with the form of its trigger, which needs input: a schedule needs its times. */
function firstSelection({ draft }: History): Selection {
  return draft.definition.nodes.length === 0 && draft.trigger.type !== "webhook" ? onlyNode(TRIGGER_ID) : NOTHING;
}

/** The draft and the state of editing it: history, selection, problems, positions. */
export function useDesignerState(initial: History, { readOnly, openPalette, openConnect, openForm }: Opens) {
  const { history, run: apply, pause, restart, undo: goBack, redo: goOn } = useHistory(initial);
  const { draft } = history;
  const [chosen, setSelection] = useState<Selection>(() => firstSelection(initial));
  const selection = useMemo(() => selectionIn(draft, chosen), [draft, chosen]);
  // Undo, redo and YAML can remove what is selected.
  if (selection !== chosen) setSelection(selection);
  const [preview, setPreview] = useState<ReadonlyMap<string, NodePreview> | null>(null);
  const [unread, setUnread] = useState<UnreadText | null>(null);
  const [message, say] = useMessage();
  const canvas = useRef<CanvasHandle | null>(null);
  const [glides, setGlides] = useState(0);
  const glide = useCallback(() => setGlides((count) => count + 1), []);
  const checks = useChecks(draft);
  const [refused, setRefused] = useState<RefusedDraft | null>(null);
  const problems = useProblems(checks, refused?.draft === draft ? refused : null);
  const { shown, quietly, enterField, leaveField, showAll } = useQuiet(problems, formOf(selection), draft);

  // A change of the selection ends the undo step: typing in the same field later is another step.
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
      apply(command);
      // The preview was about the draft before the command.
      if (command.do !== "place" && command.do !== "arrange") setPreview(null);
      if (command.do === "add") quietly((quiet) => withAdded(quiet, command.node.id));
      if (command.do === "change") quietly((quiet) => renamed(quiet, command.id, command.node.id));
    },
    [readOnly, apply, quietly],
  );
  const { checked } = checks;
  const fix = useCallback(
    (one: Fix) => {
      // A fix has positions in the draft that was checked.
      if (checked !== draft) return say(text.outdatedFix);
      run({ do: "fix", fix: one });
      say(text.fixed(one.title));
    },
    [checked, draft, run, say],
  );
  const undo = useCallback(() => {
    goBack();
    glide();
    setPreview(null);
  }, [goBack, glide]);
  const redo = useCallback(() => {
    goOn();
    glide();
    setPreview(null);
  }, [goOn, glide]);
  const show = useCallback(
    (id: string) => {
      select(onlyNode(id));
      untilHeld(() => canvas.current?.reveal(id) ?? false, REVEAL_FRAMES);
    },
    [select],
  );
  const bring = useCallback((id: string) => canvas.current?.bring(id), []);
  const openProblem = (problem: DraftProblem) => {
    const id = isOfTrigger(problem.path) ? TRIGGER_ID : problem.nodeId;
    showAll();
    select(id === null ? NOTHING : onlyNode(id));
    openForm();
    if (id !== null) requestAnimationFrame(() => bring(id));
    untilHeld(() => openField(partOf(problem)), FIELD_FRAMES);
  };
  const { definition } = draft;
  const structure = hasPlaces(definition) ? null : structureOf(definition);
  // The automatic positions depend only on the structure, and are slow with hundreds of nodes.
  // oxlint-disable-next-line react/exhaustive-deps
  const arranged = useMemo(() => (structure === null ? {} : arrange(definition)), [structure]);
  const boxes = useMemo(() => placeNodes(definition, arranged), [definition, arranged]);

  const connectionFor = useOnlyConnection();
  const { add, removeSelected, copy, copySelected, duplicateSelected, paste } = editing({
    draft,
    run,
    selection,
    select,
    show,
    say,
    readOnly,
    connectionFor,
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
    bring,
    add,
    openPalette,
    openConnect,
    removeSelected,
    copySelected,
    duplicateSelected,
    problems,
    openProblem,
    shown,
    enterField,
    leaveField,
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
  return {
    state,
    history,
    restart,
    setRefused,
    boxes,
    glides,
    glide,
    checks,
    message,
    canvas,
    onPreview,
    showAll,
    copy,
    paste,
  };
}

/** The draft as state. Commands change it and can be undone. */
function useHistory(initial: History) {
  const [history, dispatch] = useReducer(reduceHistory, initial);
  const run = useCallback((command: Command) => dispatch({ type: "command", command, now: Date.now() }), []);
  const undo = useCallback(() => dispatch({ type: "undo" }), []);
  const redo = useCallback(() => dispatch({ type: "redo" }), []);
  const pause = useCallback(() => dispatch({ type: "pause" }), []);
  const restart = useCallback((draft: Draft) => dispatch({ type: "begin", draft }), []);
  return { history, run, undo, redo, pause, restart };
}

function formOf({ nodes: [first, ...others] }: Selection): FormId {
  return first === undefined || others.length > 0 ? null : first;
}

/** The problems that are shown now, and what changes that. */
function useQuiet(problems: readonly DraftProblem[], form: FormId, { definition }: Draft) {
  const [kept, quietly] = useState<Quiet>({ ...ALL_SHOWN, empty: definition.nodes.length === 0 });
  const quiet = useMemo(() => inForm(kept, form), [kept, form]);
  if (quiet !== kept) quietly(quiet);
  const whenReleased = useWhenReleased();
  return {
    shown: useMemo(() => problems.filter((problem) => isShown(quiet, problem)), [problems, quiet]),
    quietly,
    enterField: (path: string) => whenReleased(() => quietly((before) => entered(before, problems, form, path))),
    leaveField: (path: string) => whenReleased(() => quietly((before) => left(before, form, path))),
    showAll: () => quietly(ALL_SHOWN),
  };
}

/** A draft that the person may not save or publish, and the service's errors about its nodes. */
export interface RefusedDraft {
  draft: Draft;
  errors: readonly FieldError[];
}

function useProblems({ errors, warnings, checked }: Checks, refused: RefusedDraft | null): readonly DraftProblem[] {
  const request = useKnownRequest();
  // Paths belong to the draft that was checked: in the current draft they may lead to other nodes.
  return useMemo(
    () => [
      ...(refused === null ? [] : placeProblems(refused.draft, refused.errors, "error")),
      ...(checked === null
        ? []
        : [
            ...placeProblems(checked, errors, "error"),
            ...placeProblems(checked, [...warnings, ...sampleWarnings(checked, request)], "warning"),
          ]),
    ],
    [errors, warnings, checked, refused, request],
  );
}

function useMessage(): [string | null, (message: string) => void] {
  const [shown, setShown] = useState<{ message: string } | null>(null);
  useEffect(() => {
    if (shown === null) return undefined;
    const timer = setTimeout(() => setShown(null), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return [shown?.message ?? null, useCallback((message: string) => setShown({ message }), [])];
}
