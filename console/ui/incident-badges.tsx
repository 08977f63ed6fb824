import { Badge } from "@mantine/core";
import type { IncidentStatus, Severity } from "../../schema/contract/incident.ts";

const SEVERITY_COLORS = { critical: "red", high: "orange", medium: "yellow", low: "gray" } as const satisfies Record<
  Severity,
  string
>;
const STATUS_COLORS = { triggered: "red", acknowledged: "blue", resolved: "teal" } as const satisfies Record<
  IncidentStatus,
  string
>;

export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <Badge color={SEVERITY_COLORS[severity]} variant="light" radius="sm" tt="none">
      {severity}
    </Badge>
  );
}

export function IncidentStatusBadge({ status }: { status: IncidentStatus }) {
  return (
    <Badge color={STATUS_COLORS[status]} variant="light" radius="sm" tt="none">
      {status}
    </Badge>
  );
}
