import type { IncidentStatus, Severity } from "../../../schema/contract/incident.ts";

/** Which incidents a list shows; what is absent does not matter. */
export interface IncidentFilter {
  status?: IncidentStatus;
  severity?: Severity;
  service?: string;
  source?: string;
}

const STATUSES: readonly IncidentStatus[] = ["triggered", "acknowledged", "resolved"];
const SEVERITIES: readonly Severity[] = ["critical", "high", "medium", "low"];

/** The filter that stands in an address; what makes no sense there is as good as absent. */
export function filterOf(params: URLSearchParams): IncidentFilter {
  const status = STATUSES.find((one) => one === params.get("status"));
  const severity = SEVERITIES.find((one) => one === params.get("severity"));
  const service = params.get("service") ?? "";
  const source = params.get("source") ?? "";
  return {
    ...(status === undefined ? {} : { status }),
    ...(severity === undefined ? {} : { severity }),
    ...(service === "" ? {} : { service }),
    ...(source === "" ? {} : { source }),
  };
}

/** The address's part for a filter. */
export function queryOf(filter: { [Name in keyof IncidentFilter]?: string | undefined }): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["status", "severity", "service", "source"] as const) {
    const value = filter[name];
    if (value !== undefined && value !== "") query.set(name, value);
  }
  return query;
}
