import { createContext, useContext } from "react";
import type { Fix } from "../../../schema/contract/problem.ts";
import type { NodePreview } from "../../../schema/contract/dry-run.ts";
import type { Edge } from "../../../schema/contract/workflow.ts";
import type { Place } from "./model/boxes.ts";
import type { Command, Draft } from "./model/commands.ts";
import type { ContainerId } from "./model/graph-edit.ts";
import type { NodeKind } from "../../graph/node-look.tsx";
import type { DraftProblem } from "../../workflow-forms/draft-problems.ts";
import type { Selection } from "./selection.ts";

/** Where a node from the palette goes. Without fields: after the selected node. */
export interface AddWhere {
  into?: ContainerId;
  at?: Place;
  onEdge?: Edge;
  after?: Omit<Edge, "to">;
}

/** YAML that cannot be read yet, and the draft that was last read from it. */
export interface UnreadText {
  text: string;
  draft: Draft;
}

/** The state that the parts of the designer share. */
export interface DesignerState {
  draft: Draft;
  run: (command: Command) => void;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
  selection: Selection;
  /** Pass a function when several changes may come in one event. */
  select: (selection: Selection | ((before: Selection) => Selection)) => void;
  /** Selects a node, brings it into view and gives it the focus. */
  show: (id: string) => void;
  /** Brings a node into view. */
  bring: (id: string) => void;
  add: (kind: NodeKind, where?: AddWhere) => void;
  /** Opens the palette; the chosen node goes to `where`. */
  openPalette: (where?: AddWhere) => void;
  openConnect: (from: string) => void;
  removeSelected: () => void;
  copySelected: () => void;
  duplicateSelected: () => void;
  /** Problems first, then warnings. */
  problems: readonly DraftProblem[];
  /** Shows the form with a problem, and gives its field the focus. */
  openProblem: (problem: DraftProblem) => void;
  /** Those that the form and the canvas show: errors of a field wait until the person leaves it. */
  shown: readonly DraftProblem[];
  enterField: (path: string) => void;
  leaveField: (path: string) => void;
  /** Applies the fix of a problem or a warning. */
  fix: (fix: Fix) => void;
  /** Survives a change of tab, so that no text is lost. */
  unread: UnreadText | null;
  setUnread: (unread: UnreadText | null) => void;
  preview: ReadonlyMap<string, NodePreview> | null;
  readOnly: boolean;
  /** Shows a short message about what was done, or why nothing was done. */
  say: (message: string) => void;
}

export const DesignerContext = createContext<DesignerState | null>(null);

export function useDesigner(): DesignerState {
  const state = useContext(DesignerContext);
  if (state === null) throw new Error("useDesigner outside of the designer");
  return state;
}
