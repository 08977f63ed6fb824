import type { NodeRunView } from "../../../schema/contract/execution.ts";
import { exactTime } from "../../ui/time.tsx";

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/gu;

export interface Doing {
  nodeId: string;
  /** What it waits for, as a sentence; null while it runs. */
  waits: string | null;
  /** How many other nodes are under way, too. */
  others: number;
}

/** What an execution is at: what waits comes first, since somebody may have to act. Null when nothing is under way. */
export function doing(nodeRuns: readonly NodeRunView[]): Doing | null {
  const open = nodeRuns.filter(({ status }) => status === "waiting" || status === "running");
  const shown = open.find(({ waitingFor }) => waitingFor !== null) ?? open.at(0);
  if (shown === undefined) return null;
  return {
    nodeId: shown.nodeId,
    waits: shown.waitingFor === null ? null : sentence(shown.waitingFor),
    others: open.length - 1,
  };
}

/** The service gives either a sentence or what "waits for" is followed by. */
function sentence(reason: string): string {
  const readable = reason
    .replaceAll(INSTANT, (at) => exactTime(at))
    .replace(/^the execution \S+ to end$/u, "its sub-workflow to end");
  return /^[A-Z]/u.test(readable) ? readable : `Waits for ${readable}.`;
}
