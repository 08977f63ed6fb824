/** The reads that show incidents: each is repeated after an incident has changed. */
export const INCIDENT_READS = ["/api/v1/automation/incidents", "/api/v1/automation/incidents/{id}"] as const;
