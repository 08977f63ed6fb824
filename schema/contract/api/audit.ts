import { auditEntrySchema, listAuditQuerySchema } from "../people.ts";
import type { Operation } from "../operation.ts";

export const listAudit = {
  id: "listAudit",
  method: "GET",
  path: "/api/v1/automation/audit",
  tag: "Audit log",
  summary: "List changes and who made them",
  description:
    "Every write of a person or a token, newest first. The filters are exact; `from` and `to` are inclusive.",
  access: "admin",
  query: listAuditQuerySchema,
  answer: { kind: "page", item: auditEntrySchema },
} as const satisfies Operation;
