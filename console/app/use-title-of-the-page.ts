import { useEffect, useState } from "react";

/** The document's title as it is now: to be read out when another page has come. */
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
