import { useEffect } from "react";

/** What opens above the page, and goes again. */
const ABOVE = "[role=dialog], [role=menu], [role=listbox], [data-portal]";

/**
 * When what had the keyboard's focus is gone (a dialog that was closed, a button that is no longer offered, a link to
 * another page), the browser begins anew at the top of the document. Here it goes on where the dialog was opened from,
 * and else with the page's content.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let below: HTMLElement | null = null;
    const focused = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      if (target.closest(ABOVE) === null) below = target;
    };
    const left = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) return;
      // A click beside it: whoever did that is not at it any more. What is taken away, or can do nothing while its deed
      // goes on, was not left by anybody.
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
