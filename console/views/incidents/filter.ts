import type { IncidentStatus, Severity } from "../../../schema/contract/incident.ts";

/** The filter of a list of incidents. An absent field matches everything. */
export interface IncidentFilter {
  status?: IncidentStatus;
  severity?: Severity;
  service?: string;
  source?: string;
}

export const STATUSES: readonly IncidentStatus[] = ["triggered", "acknowledged", "resolved"];
export const SEVERITIES: readonly Severity[] = ["critical", "high", "medium", "low"];

/** The filter in a URL's query. Invalid values are ignored. */
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

/** The URL's query for a filter. */
export function queryOf(filter: { [Name in keyof IncidentFilter]?: string | undefined }): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["status", "severity", "service", "source"] as const) {
    const value = filter[name];
    if (value !== undefined && value !== "") query.set(name, value);
  }
  return query;
}
