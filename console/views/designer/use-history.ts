import { useCallback, useReducer } from "react";
import type { Command, Draft } from "./model/commands.ts";
import { reduceHistory } from "./model/history.ts";
import type { History } from "./model/history.ts";

/** The draft as state. Commands change it and can be undone. */
export function useHistory(initial: History) {
  const [history, dispatch] = useReducer(reduceHistory, initial);
  const run = useCallback((command: Command) => dispatch({ type: "command", command, now: Date.now() }), []);
  const undo = useCallback(() => dispatch({ type: "undo" }), []);
  const redo = useCallback(() => dispatch({ type: "redo" }), []);
  const pause = useCallback(() => dispatch({ type: "pause" }), []);
  const restart = useCallback((draft: Draft) => dispatch({ type: "begin", draft }), []);
  return { history, run, undo, redo, pause, restart };
}
