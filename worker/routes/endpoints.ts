import type { Endpoint } from "../http/endpoint.ts";
import { agentCallEndpoints } from "./agent.ts";
import { agentEndpoints } from "./agents.ts";
import { auditEndpoints } from "./audit.ts";
import { authEndpoints } from "./auth.ts";
import { connectionEndpoints } from "./connections.ts";
import { docsEndpoints } from "./docs.ts";
import { downloadEndpoints } from "./downloads.ts";
import { executionEventEndpoints } from "./execution-events.ts";
import { executionEndpoints } from "./executions.ts";
import { healthEndpoints } from "./health.ts";
import { incidentEndpoints } from "./incidents.ts";
import { integrationEndpoints } from "./integrations.ts";
import { jobEndpoints } from "./jobs.ts";
import { maintenanceEndpoints } from "./maintenance.ts";
import { metricsEndpoints } from "./metrics.ts";
import { oidcEndpoints } from "./oidc.ts";
import { notificationRuleEndpoints } from "./notification-rules.ts";
import { notificationEndpoints } from "./notifications.ts";
import { overviewEndpoints } from "./overview.ts";
import { limitEndpoints } from "./limits.ts";
import { pauseEndpoints } from "./pause.ts";
import { poolEndpoints } from "./pools.ts";
import { retentionEndpoints } from "./retention.ts";
import { scheduleEndpoints } from "./schedules.ts";
import { statisticsEndpoints } from "./statistics.ts";
import { tokenEndpoints } from "./tokens.ts";
import { userEndpoints } from "./users.ts";
import { webhookEndpoints } from "./webhooks.ts";
import { workflowCodeEndpoints } from "./workflow-code.ts";
import { workflowEndpoints } from "./workflows.ts";

/** Every endpoint of the service. The API's description is made from the same list. */
export const endpoints: readonly Endpoint[] = [
  ...overviewEndpoints,
  ...workflowEndpoints,
  ...workflowCodeEndpoints,
  ...scheduleEndpoints,
  ...webhookEndpoints,
  ...executionEndpoints,
  ...executionEventEndpoints,
  ...jobEndpoints,
  ...limitEndpoints,
  ...pauseEndpoints,
  ...maintenanceEndpoints,
  ...statisticsEndpoints,
  ...incidentEndpoints,
  ...integrationEndpoints,
  ...connectionEndpoints,
  ...notificationEndpoints,
  ...notificationRuleEndpoints,
  ...agentEndpoints,
  ...poolEndpoints,
  ...agentCallEndpoints,
  ...healthEndpoints,
  ...metricsEndpoints,
  ...downloadEndpoints,
  ...docsEndpoints(() => endpoints.map(({ operation }) => operation)),
  ...authEndpoints,
  ...oidcEndpoints,
  ...tokenEndpoints,
  ...retentionEndpoints,
  ...userEndpoints,
  ...auditEndpoints,
];
