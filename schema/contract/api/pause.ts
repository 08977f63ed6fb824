import type { Operation } from "../operation.ts";
import { pauseStateSchema, setPauseSchema } from "../pause.ts";

const path = "/api/v1/automation/pause";
const tag = "Pause";
const answer = { kind: "data", status: 200, data: pauseStateSchema } as const;

export const readPause = {
  id: "readPause",
  method: "GET",
  path,
  tag,
  summary: "Show whether all runs are paused",
  access: "automation:read",
  answer,
} as const satisfies Operation;

export const pauseRuns = {
  id: "pauseRuns",
  method: "PUT",
  path,
  tag,
  summary: "Pause all runs",
  description:
    "Within 5 seconds no action is given to an agent and no notification begins. Running actions go on. Events, schedules and manual starts are accepted, and their jobs wait. During a pause, this replaces its reason.",
  access: "automation:execute",
  body: setPauseSchema,
  example: { reason: "The storage cluster is being failed over." },
  answer,
} as const satisfies Operation;

export const resumeRuns = {
  id: "resumeRuns",
  method: "DELETE",
  path,
  tag,
  summary: "Resume all runs",
  description: "Waiting jobs go on within 5 seconds. Without a pause, nothing changes.",
  access: "automation:execute",
  answer,
} as const satisfies Operation;
