/** What shows incidents, and is read again when one was changed. */
export const INCIDENT_READS = ["/api/v1/automation/incidents", "/api/v1/automation/incidents/{id}"] as const;
