import { jobViewSchema } from "../execution.ts";
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
