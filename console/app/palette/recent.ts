import { useEffect } from "react";
import { useMe } from "../session.tsx";
import { shell, states } from "../../strings/en/shell.ts";

const KEPT_MAX = 12;
const TITLE_END = shell.tab("");

export interface RecentPage {
  href: string;
  label: string;
}

/** Notes the pages that the person opens in this tab. They are gone when the tab is closed. */
export function useNotedPages(href: string, title: string): void {
  const key = keyOf(useMe().actor);
  useEffect(() => {
    const others = readPages(key).filter((page) => page.href !== href);
    const isPage = title.endsWith(TITLE_END) && !title.startsWith(states.notFound.tab);
    const page = { href, label: title.slice(0, -TITLE_END.length) };
    try {
      sessionStorage.setItem(key, JSON.stringify(isPage ? [page, ...others].slice(0, KEPT_MAX) : others));
    } catch {
      // Without storage the palette shows no recent pages.
    }
  }, [key, href, title]);
}

/** The newest first, without the page that is open. */
export function recentPages(actor: string, here: string): RecentPage[] {
  return readPages(keyOf(actor)).filter(({ href }) => href !== here);
}

function keyOf(actor: string): string {
  return `bellhop-recent-pages ${actor}`;
}

function readPages(key: string): RecentPage[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isPage) : [];
  } catch {
    return [];
  }
}

function isPage(stored: unknown): stored is RecentPage {
  return (
    typeof stored === "object" &&
    stored !== null &&
    "href" in stored &&
    typeof stored.href === "string" &&
    "label" in stored &&
    typeof stored.label === "string"
  );
}
