import { jobParametersSchema, jobViewSchema } from "../execution.ts";
import type { Operation } from "../operation.ts";

export const getJob = {
  id: "getJob",
  method: "GET",
  path: "/api/v1/automation/jobs/{id}",
  tag: "Jobs",
  summary: "Show a job",
  description:
    "The job's work, the time of each stage, and why it waits. Results of agents that had lost the job are in `lateResults`; they do not change the job's status.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: jobViewSchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const getJobParameters = {
  id: "getJobParameters",
  method: "GET",
  path: "/api/v1/automation/jobs/{id}/parameters",
  tag: "Jobs",
  summary: "Show what a job runs",
  description:
    "The job's parameters and named values, with templates filled in, as the agent gets them. Values of inputs that the trigger marks as `sensitive` are `***`, also inside longer texts. They are kept as long as the job's output.",
  access: "automation:write",
  answer: { kind: "data", status: 200, data: jobParametersSchema },
  errors: ["not_found"],
} as const satisfies Operation;
