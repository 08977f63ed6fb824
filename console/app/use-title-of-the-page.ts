import { useEffect, useState } from "react";

/** The document's current title, for screen readers to announce after a change of page. */
export function useTitleOfThePage(): string {
  const [title, setTitle] = useState(document.title);
  useEffect(() => {
    const look = () => setTitle(document.title);
    const observer = new MutationObserver(look);
    observer.observe(document.head, { childList: true, characterData: true, subtree: true });
    look();
    return () => observer.disconnect();
  }, []);
  return title;
}
