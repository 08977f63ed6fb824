import type { Activity, ServiceCall } from "../activity.ts";
import type { Clock } from "../clock.ts";
import type { ServiceClient } from "../service-client.ts";
import { nextStep } from "./retry.ts";

/** The same client, with its calls counted and timed in `activity`. */
export function measuredClient(client: ServiceClient, activity: Activity, clock: Clock): ServiceClient {
  async function measured<T>(name: ServiceCall, call: Promise<T>): Promise<T> {
    const figures = activity.calls[name];
    const begunAt = clock.monotonicMs();
    const note = (outcome: "answered" | "failed") => {
      figures[outcome]++;
      figures.lastMs = clock.monotonicMs() - begunAt;
      figures.totalMs += figures.lastMs;
    };
    try {
      const answer = await call;
      note("answered");
      return answer;
    } catch (error) {
      // A call that this agent stopped says nothing about the service.
      if (nextStep(error) !== "stop") note("failed");
      throw error;
    }
  }
  return {
    ...client,
    register: (...args) => measured("register", client.register(...args)),
    jobs: (...args) => measured("jobs", client.jobs(...args)),
    results: (...args) => measured("results", client.results(...args)),
    heartbeat: (...args) => measured("heartbeat", client.heartbeat(...args)),
    offline: (...args) => measured("offline", client.offline(...args)),
  };
}
