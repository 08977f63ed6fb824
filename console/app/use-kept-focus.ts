import { useEffect } from "react";

/** Overlays: they open above the page and close again. */
const OVERLAYS = "[role=dialog], [role=menu], [role=listbox], [data-portal]";

/**
 * When the focused element disappears (a closed dialog, a removed button, a link to another page), the browser moves
 * the focus to the top of the document. This hook moves it to the element that opened the dialog, or to the content.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let below: HTMLElement | null = null;
    const focused = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      if (target.closest(OVERLAYS) === null) below = target;
    };
    const left = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) return;
      // A click elsewhere gives the focus up on purpose. An element that was removed, or is disabled while its request
      // runs, did not: its focus is restored later.
      queueMicrotask(() => {
        if (last === target && last?.isConnected === true && !last.matches(":disabled")) last = null;
      });
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      for (const next of [below, document.querySelector<HTMLElement>("#content")]) {
        next?.focus({ preventScroll: true });
        if (document.activeElement === next) return;
      }
    });
    document.addEventListener("focusin", focused);
    document.addEventListener("focusout", left);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", focused);
      document.removeEventListener("focusout", left);
      observer.disconnect();
    };
  }, []);
}
