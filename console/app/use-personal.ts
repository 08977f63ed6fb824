import { useState } from "react";
import { useMe } from "./session.tsx";

/** A setting of this person in this browser. `read` gets the stored JSON, or null, and repairs what it cannot use. */
export function usePersonal<T>(name: string, read: (stored: unknown) => T): [T, (next: T) => void] {
  const key = `bellhop-${name} ${useMe().actor}`;
  const [value, setValue] = useState(() => read(stored(key)));
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Without storage the setting lasts until the page is left.
      }
    },
  ];
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
