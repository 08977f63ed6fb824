import { createContext, useContext } from "react";
import type { Fix } from "../../../schema/contract/problem.ts";
import type { NodePreview } from "../../../schema/contract/dry-run.ts";
import type { Edge } from "../../../schema/contract/workflow.ts";
import type { Command, Draft, Place } from "./model/commands.ts";
import type { ContainerId } from "./model/graph-edit.ts";
import type { NodeKind } from "./model/new-node.ts";
import type { DraftProblem } from "./model/problems.ts";
import type { Selection } from "./selection.ts";

/** Where a node from the palette is to go. Without more: behind what is selected. */
export interface AddWhere {
  into?: ContainerId;
  at?: Place;
  onEdge?: Edge;
  behind?: Omit<Edge, "to">;
}

/** What somebody writes as YAML and cannot be read yet, and what the canvas showed when it was read last. */
export interface UnreadText {
  text: string;
  draft: Draft;
}

/** What the parts of the designer share. */
export interface DesignerState {
  draft: Draft;
  run: (command: Command) => void;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
  selection: Selection;
  /** Told as a function of what is selected where several changes may come at once. */
  select: (selection: Selection | ((before: Selection) => Selection)) => void;
  /** Selects a node, brings it into view and gives it the focus. */
  show: (id: string) => void;
  add: (kind: NodeKind, where?: AddWhere) => void;
  /** Opens the palette; what is taken goes there. */
  openPalette: (where?: AddWhere) => void;
  openConnect: (from: string) => void;
  removeSelected: () => void;
  copySelected: () => void;
  duplicateSelected: () => void;
  /** Problems first, then warnings. */
  problems: readonly DraftProblem[];
  /** Makes a fix of a problem or of a warning. */
  fix: (fix: Fix) => void;
  /** Outlives the view of the text: going to another one loses nothing. */
  unread: UnreadText | null;
  setUnread: (unread: UnreadText | null) => void;
  preview: ReadonlyMap<string, NodePreview> | null;
  readOnly: boolean;
  /** Says something in passing, in words: why something was not done, what was. */
  say: (words: string) => void;
}

export const DesignerContext = createContext<DesignerState | null>(null);

export function useDesigner(): DesignerState {
  const state = useContext(DesignerContext);
  if (state === null) throw new Error("useDesigner outside of the designer");
  return state;
}
