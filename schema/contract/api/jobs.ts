import { jobViewSchema } from "../execution.ts";
import type { Operation } from "../operation.ts";

export const getJob = {
  id: "getJob",
  method: "GET",
  path: "/api/v1/automation/jobs/{id}",
  tag: "Jobs",
  summary: "Show a job",
  description:
    "What an agent was given to do, when each stage was reached, and while it waits, why. An agent that was given up and reports all the same is in `lateResults`: the job's status stays as it is.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: jobViewSchema },
  errors: ["not_found"],
} as const satisfies Operation;
