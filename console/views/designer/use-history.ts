import { useCallback, useReducer } from "react";
import type { Command, Draft } from "./model/commands.ts";
import { reduceHistory } from "./model/history.ts";
import type { History } from "./model/history.ts";

/** The draft as state: commands change it, and can be undone. */
export function useHistory(initial: History) {
  const [history, tell] = useReducer(reduceHistory, initial);
  const run = useCallback((command: Command) => tell({ type: "command", command, now: Date.now() }), []);
  const undo = useCallback(() => tell({ type: "undo" }), []);
  const redo = useCallback(() => tell({ type: "redo" }), []);
  const pause = useCallback(() => tell({ type: "pause" }), []);
  const restart = useCallback((draft: Draft) => tell({ type: "begin", draft }), []);
  return { history, run, undo, redo, pause, restart };
}
