import { OVERVIEW } from "../api/overview.ts";
import { useRead } from "../api/queries.ts";
import { atLeast } from "../strings/format.ts";
import { useCan } from "./session.tsx";

/** The overview reads the same more often. */
const EVERY_MS = 60_000;

/** The number of approvals that the person may answer ("25+" when there are more); null for none. */
export function useApprovalsToAnswer(): string | null {
  const [mayRead, mayAnswer] = [useCan("automation:read"), useCan("automation:approve")];
  // A tab in the background shows its title, too.
  const options = { everyMs: EVERY_MS, inBackground: true, enabled: mayRead && mayAnswer };
  const { data } = useRead(OVERVIEW, {}, options);
  const count = data?.approvals.items.filter((approval) => approval.mayAnswer).length ?? 0;
  if (count === 0) return null;
  return atLeast(count, data?.approvals.more ?? false);
}
