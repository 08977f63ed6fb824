import { useState } from "react";
import { useSearchParams } from "wouter";
import type { NodeRunView } from "../../../../schema/contract/execution.ts";

/** Where an output is: links to its lines name the step and the part. */
export interface OutputPlace {
  run: Pick<NodeRunView, "nodeId" | "iteration">;
  part: string;
}

export interface ViewerState {
  isOpen: boolean;
  /** The chosen line, from 1. */
  line: number | null;
  open: () => void;
  close: () => void;
  choose: (line: number | null) => void;
}

/** Whether the viewer is open, and the chosen line: in the URL for a text with a place, otherwise in memory. */
export function useViewerState(place: OutputPlace | null): ViewerState {
  const [query, setQuery] = useSearchParams();
  const [local, setLocal] = useState<{ line: number | null } | null>(null);
  if (place === null) {
    return {
      isOpen: local !== null,
      line: local?.line ?? null,
      open: () => setLocal({ line: null }),
      close: () => setLocal(null),
      choose: (line) => setLocal({ line }),
    };
  }
  const wanted = { node: place.run.nodeId, iteration: place.run.iteration?.join(".") ?? "", output: place.part };
  const set = (more: Record<string, string>, replace: boolean) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const name of ["output", "line"]) next.delete(name);
        for (const [name, value] of Object.entries(more)) {
          if (value === "") next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace },
    );
  const line = Number(query.get("line"));
  return {
    isOpen: Object.entries(wanted).every(([name, value]) => (query.get(name) ?? "") === value),
    line: Number.isSafeInteger(line) && line > 0 ? line : null,
    open: () => set(wanted, false),
    close: () => set({}, true),
    choose: (chosen) => set({ ...wanted, line: chosen === null ? "" : String(chosen) }, true),
  };
}
