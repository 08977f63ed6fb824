import type { Draft } from "./draft.ts";

/** Ends an execution by a person's word. What has begun is cancelled and its jobs taken back; the rest is skipped. */
export function cancel(draft: Draft, by: string): void {
  for (const run of draft.runs) {
    if (run.status === "pending") draft.update(run.nodeId, { status: "skipped" });
    if (run.status !== "running" && run.status !== "waiting") continue;
    if (run.status === "running" && run.jobId !== null) draft.effects.push({ type: "cancelJob", jobId: run.jobId });
    draft.update(run.nodeId, {
      status: "cancelled",
      wakeAt: null,
      error: { code: "cancelled", message: `Cancelled by ${by}.` },
      timeline: { ...run.timeline, finishedAt: draft.now },
    });
  }
  draft.status = "cancelled";
  draft.error = { code: "cancelled", message: `Cancelled by ${by}.` };
}
