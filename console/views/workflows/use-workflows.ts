import { useEffect, useState } from "react";
import { useAll } from "../../api/use-all.ts";

const PAGE_SIZE = 200;
/** These pages load automatically, so that a search covers them. Further pages need a click. */
const PAGES_MAX = 5;
const EVERY_MS = 15_000;
/** Several pages are read less often: each is a request, with the graphs of its workflows. */
const EVERY_MS_OF_MANY = 60_000;

/** Every workflow up to a bound. `isWhole`: all workflows are loaded. */
export function useWorkflows() {
  const [everyMs, setEveryMs] = useState(EVERY_MS);
  const options = { everyMs, pagesMax: PAGES_MAX };
  const list = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE } }, options);
  const loaded = list.items?.length ?? 0;
  useEffect(() => setEveryMs(loaded > PAGE_SIZE ? EVERY_MS_OF_MANY : EVERY_MS), [loaded]);
  return list;
}
