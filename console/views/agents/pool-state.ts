import type { PoolView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";

const { counts, states } = agents.pools;

type Seen = Pick<PoolView, "members" | "queueDepth">;

/** A pool's state as a label and a colour, and its counts, such as "2 of 3 agents ready · 4 running · 1 waiting". */
export function poolStateOf({ members, queueDepth }: Seen): { label: string; color: string; counts: string } {
  const ready = members.filter(
    ({ enabled, status, draining }) => enabled && status !== "Offline" && draining !== true,
  ).length;
  const running = members.reduce((sum, member) => sum + member.runningJobs, 0);
  const isDegraded = members.some(({ status, enabled }) => enabled && status === "Degraded");
  const state = (name: keyof typeof states, color: string) => ({
    label: states[name],
    color,
    counts: counts({ ready, agents: members.length, running, waiting: queueDepth }),
  });
  if (ready === 0 && queueDepth > 0) return state("waiting", "red");
  if (members.length === 0) return state("empty", "yellow");
  if (ready === 0) return state("notReady", "yellow");
  if (isDegraded) return state("degraded", "yellow");
  return queueDepth > 0 ? state("queueing", "blue") : state("ready", "teal");
}
