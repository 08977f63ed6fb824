import { useState } from "react";
import { useMe } from "../../app/session.tsx";

const KEPT_MAX = 200;

/** The hints that this person has dismissed in this browser. */
export function useDismissed(): { dismissed: ReadonlySet<string>; dismiss: (id: string) => void } {
  const key = `bellhop-dismissed-hints ${useMe().actor}`;
  const [ids, setIds] = useState(() => readIds(key));
  const dismiss = (id: string) => {
    const next = [...ids, id].slice(-KEPT_MAX);
    setIds(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without storage a dismissal lasts until the page is left.
    }
  };
  return { dismissed: new Set(ids), dismiss };
}

function readIds(key: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}
