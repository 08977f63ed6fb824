import { useEffect, useRef, useState } from "react";
import { useMe } from "../../../app/session.tsx";
import type { Draft } from "../model/commands.ts";
import { isSameDraft } from "../model/same.ts";
import { dropOwn, keptKey, readKept, writeKept } from "./kept.ts";
import type { Kept } from "./kept.ts";

const PAUSE_MS = 400;
/** Identifies this tab until it is reloaded. */
const THIS_PAGE = crypto.randomUUID();

export function useKeptKey(workflowId: string): string {
  const me = useMe();
  return keptKey(me.user?.id ?? me.actor, workflowId);
}

/** Unsaved changes from an earlier visit, read once when the designer opens; and a function that closes the offer. */
export function useOffer(key: string, current: Draft): [Kept | null, () => void] {
  const [offer, setOffer] = useState(() => {
    const kept = readKept(localStorage, key);
    return kept === null || (kept.text === undefined && isSameDraft(kept.draft, current)) ? null : kept;
  });
  return [offer, () => setOffer(null)];
}

/** Drops what this page keeps of a draft that is saved now. */
export function forgetKept(key: string, saved: Draft): void {
  dropOwn(localStorage, key, THIS_PAGE, saved);
}

/**
 * Stores unsaved changes in this browser while `dirty`, also when the page is left, and drops them when all is saved.
 * Returns false when the browser cannot store them. `paused` while the changes of an earlier visit are offered.
 */
export function useKeep(
  key: string,
  state: {
    draft: Draft;
    text: string | undefined;
    revision: number;
    dirty: boolean;
    /** The page is left only after a question: saving has failed. */
    warns: boolean;
    paused: boolean;
  },
) {
  const latest = useRef({ ...state, key });
  const [works, setWorks] = useState(true);
  useEffect(() => {
    latest.current = { ...state, key };
  });
  const { draft, text, dirty, paused, revision } = state;
  useEffect(() => {
    if (paused) return undefined;
    if (!dirty) {
      forgetKept(key, draft);
      return undefined;
    }
    const timer = setTimeout(() => setWorks(keep(key, { draft, text, revision })), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, text, dirty, paused, revision, key]);
  useEffect(() => {
    const keepNow = () => {
      const { dirty, paused, key, draft, text, revision } = latest.current;
      if (dirty && !paused) keep(key, { draft, text, revision });
    };
    const beforeLeaving = (event: BeforeUnloadEvent) => {
      keepNow();
      if (latest.current.warns) event.preventDefault();
    };
    addEventListener("pagehide", keepNow);
    addEventListener("beforeunload", beforeLeaving);
    return () => {
      removeEventListener("pagehide", keepNow);
      removeEventListener("beforeunload", beforeLeaving);
      keepNow();
    };
  }, []);
  return works;
}

function keep(key: string, { draft, text, revision }: { draft: Draft; text: string | undefined; revision: number }) {
  return writeKept(localStorage, key, {
    at: Date.now(),
    by: THIS_PAGE,
    revision,
    draft,
    ...(text === undefined ? {} : { text }),
  });
}
