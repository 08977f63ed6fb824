import { useEffect, useRef, useState } from "react";

/**
 * The document's current title, for screen readers to announce after a change of page. The tab's title
 * begins with the number of approvals that wait for the person: "(2) Overview · Bellhop".
 */
export function useTitleOfThePage(waiting: string | null): string {
  const [title, setTitle] = useState(document.title);
  const shown = useRef({ inTab: document.title, title: document.title });
  useEffect(() => {
    const look = () => {
      const plain = document.title === shown.current.inTab ? shown.current.title : document.title;
      const inTab = waiting === null ? plain : `(${waiting}) ${plain}`;
      shown.current = { inTab, title: plain };
      if (document.title !== inTab) document.title = inTab;
      setTitle(plain);
    };
    const observer = new MutationObserver(look);
    observer.observe(document.head, { childList: true, characterData: true, subtree: true });
    look();
    return () => observer.disconnect();
  }, [waiting]);
  return title;
}
