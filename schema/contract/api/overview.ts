import type { Operation } from "../operation.ts";
import { overviewSchema } from "../overview.ts";

export const readOverview = {
  id: "readOverview",
  method: "GET",
  path: "/api/v1/automation/overview",
  tag: "Overview",
  summary: "Show what needs a person now",
  description:
    "Waiting approvals, runs that maintenance windows ask about, urgent incidents, jobs that wait, failing and switched-off workflows, unhealthy agents, running executions and missing parts of the set-up. Each section has its first items, and `more` where there are others.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: overviewSchema },
} as const satisfies Operation;
