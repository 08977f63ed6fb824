import type { PoolView } from "../../../schema/contract/management.ts";

type Seen = Pick<PoolView, "members" | "queueDepth">;

/** A pool's state as a label and a colour, and its counts, such as "2 of 3 agents ready · 4 running · 1 waiting". */
export function poolStateOf({ members, queueDepth }: Seen): { label: string; color: string; counts: string } {
  const ready = members.filter(
    ({ enabled, status, draining }) => enabled && status !== "Offline" && draining !== true,
  ).length;
  const running = members.reduce((sum, member) => sum + member.runningJobs, 0);
  const agents =
    members.length === 0
      ? "no agent"
      : `${ready} of ${members.length} ${members.length === 1 ? "agent" : "agents"} ready`;
  const counts = `${agents} · ${running} running · ${queueDepth} waiting`;
  if (ready === 0) {
    return members.length === 0 || queueDepth > 0
      ? { label: queueDepth > 0 ? "Jobs waiting" : "No agent", color: queueDepth > 0 ? "red" : "yellow", counts }
      : { label: "No agent ready", color: "yellow", counts };
  }
  if (members.some(({ status, enabled }) => enabled && status === "Degraded")) {
    return { label: "Degraded", color: "yellow", counts };
  }
  return queueDepth > 0 ? { label: "Queueing", color: "blue", counts } : { label: "Ready", color: "teal", counts };
}
