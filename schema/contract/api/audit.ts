import { auditEntrySchema, exportAuditQuerySchema, listAuditQuerySchema } from "../people.ts";
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

export const exportAudit = {
  id: "exportAudit",
  method: "GET",
  path: "/api/v1/automation/audit/export",
  tag: "Audit log",
  summary: "Export the audit log",
  description:
    "The same entries, oldest first, one JSON text a line, without a limit to their number. The filters are those of the list. After a broken connection, continue with `after`. The entries of the last minute are not among them: they may not all be written yet.",
  access: "admin",
  query: exportAuditQuerySchema,
  answer: { kind: "lines", line: auditEntrySchema },
} as const satisfies Operation;
