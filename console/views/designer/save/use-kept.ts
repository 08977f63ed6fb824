import { useEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { useMe } from "../../../app/session.tsx";
import type { Draft } from "../model/commands.ts";
import { isSameDraft } from "../model/same.ts";
import { dropOwn, keptKey, readKept, writeKept } from "./kept.ts";
import type { Kept } from "./kept.ts";

const PAUSE_MS = 400;
/** Until it is loaded anew: one tab of this browser. */
const THIS_PAGE = crypto.randomUUID();

export function useKeptKey(workflowId: string | null): string {
  const me = useMe();
  return keptKey(me.user?.id ?? me.actor, workflowId);
}

/** What this browser kept of an earlier visit that was not saved; asked for once, when the designer opens. */
export function useOffer(key: string, current: Draft): [Kept | null, () => void] {
  const [offer, setOffer] = useState(() => {
    const kept = readKept(localStorage, key);
    return kept === null || (kept.text === undefined && isSameDraft(kept.draft, current)) ? null : kept;
  });
  return [offer, () => setOffer(null)];
}

/**
 * Keeps what is not saved in this browser while `dirty`, also when the page is left; forgets it when all is saved.
 * Gives false where nothing can be kept. `paused` while an earlier visit's changes wait for an answer.
 */
export function useKeep(
  key: string,
  state: { draft: Draft; text: string | undefined; revision: number | null; dirty: boolean; paused: boolean },
  /** True once another page has the draft. */
  given: RefObject<boolean>,
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
      dropOwn(localStorage, key, THIS_PAGE, draft);
      return undefined;
    }
    const timer = setTimeout(() => setWorks(keep(key, { draft, text, revision })), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, text, dirty, paused, revision, key]);
  useEffect(() => {
    const keepNow = () => {
      const { dirty, paused, key, ...kept } = latest.current;
      if (dirty && !paused && !given.current) keep(key, kept);
    };
    const beforeLeaving = (event: BeforeUnloadEvent) => {
      keepNow();
      if (latest.current.dirty) event.preventDefault();
    };
    addEventListener("pagehide", keepNow);
    addEventListener("beforeunload", beforeLeaving);
    return () => {
      removeEventListener("pagehide", keepNow);
      removeEventListener("beforeunload", beforeLeaving);
      keepNow();
    };
  }, [given]);
  return works;
}

function keep(
  key: string,
  { draft, text, revision }: { draft: Draft; text: string | undefined; revision: number | null },
) {
  return writeKept(localStorage, key, {
    at: Date.now(),
    by: THIS_PAGE,
    revision,
    draft,
    ...(text === undefined ? {} : { text }),
  });
}
