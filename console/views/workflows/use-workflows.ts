import { useEffect, useState } from "react";
import { useAll } from "../../api/use-all.ts";

const PAGE_SIZE = 200;
/** Loaded by itself, so that a search finds what is there; beyond it somebody has to ask for more. */
const PAGES_MAX = 5;
const EVERY_MS = 15_000;
/** More than one page is read again less often: each of them is a request, with the graphs of its workflows. */
const EVERY_MS_OF_MANY = 60_000;

/** Every workflow, page after page up to a bound: `isWhole` says whether there are no more than are loaded. */
export function useWorkflows() {
  const [everyMs, setEveryMs] = useState(EVERY_MS);
  const options = { everyMs, pagesMax: PAGES_MAX };
  const list = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE } }, options);
  const loaded = list.items?.length ?? 0;
  useEffect(() => setEveryMs(loaded > PAGE_SIZE ? EVERY_MS_OF_MANY : EVERY_MS), [loaded]);
  return list;
}
