import { useEffect, useRef } from "react";
import { isPassing } from "../../../api/problem.ts";
import type { Draft } from "../model/commands.ts";
import type { Unsaved } from "./use-save.ts";

const PAUSE_MS = 1_500;
const AGAIN_MS = 5_000;

interface Autosave {
  draft: Draft;
  /** The draft has changes that may be saved now. */
  isDue: boolean;
  /** The person is about to publish, which saves first: a save at that moment would take the click's button away. */
  isPaused: boolean;
  unsaved: Unsaved | null;
  save: () => void;
  /** Saves without the page, which is being left. */
  flush: () => void;
}

/**
 * Saves a moment after the last change, when the tab is hidden and when the page is left. A save that may succeed later
 * is repeated; any other failure waits for the next change.
 */
export function useAutosave(autosave: Autosave): void {
  const latest = useRef(autosave);
  useEffect(() => {
    latest.current = autosave;
  });
  const { draft, isDue, isPaused, unsaved } = autosave;
  const hasFailed = unsaved !== null && unsaved.draft === draft;
  const isWaiting = hasFailed && !isPassing(unsaved.error);
  useEffect(() => {
    if (!isDue || isPaused || isWaiting) return undefined;
    const timer = setTimeout(() => latest.current.save(), hasFailed ? AGAIN_MS : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, isDue, isPaused, isWaiting, hasFailed, unsaved]);
  useEffect(() => {
    const saveNow = () => {
      if (document.visibilityState === "hidden" && latest.current.isDue) latest.current.save();
    };
    document.addEventListener("visibilitychange", saveNow);
    return () => {
      document.removeEventListener("visibilitychange", saveNow);
      if (latest.current.isDue) latest.current.flush();
    };
  }, []);
}
