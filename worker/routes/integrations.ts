import type { Context } from "hono";
import * as api from "../../schema/contract/api/integrations.ts";
import type { IntegrationKind } from "../../schema/contract/integration.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { INTEGRATION_BODY_MAX_BYTES, WEBHOOK_BODY_MAX_DEPTH } from "../../schema/limits.ts";
import { severityBy } from "../domain/incident/severity.ts";
import { afterwards } from "../http/afterwards.ts";
import type { AppEnv } from "../http/app-types.ts";
import { readCloudEventsBody } from "../http/cloudevents-body.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readJsonBody } from "../http/json-body.ts";
import { publicOrigin } from "../http/origin.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { matchEvents } from "../services/incidents/match-events.ts";
import type { EventRow } from "../services/incidents/match-events.ts";
import { authenticateIntegration } from "../services/integrations/authenticate.ts";
import { createIntegration } from "../services/integrations/create.ts";
import { deleteIntegration } from "../services/integrations/delete.ts";
import { updateIntegration } from "../services/integrations/update.ts";
import { listIntegrationViews } from "../services/integrations/list.ts";
import { readAlertmanager } from "../services/integrations/read-alertmanager.ts";
import { readCloudEvent } from "../services/integrations/read-cloudevents.ts";
import { readPagerduty } from "../services/integrations/read-pagerduty.ts";
import { countRejected, fieldErrorMessage, receive } from "../services/integrations/receive.ts";
import type { Integration, Read } from "../services/integrations/receive.ts";
import { RequestLimit } from "../services/integrations/request-limit.ts";
import { ProblemError } from "../services/problem.ts";

const BODY_LIMITS = { maxBytes: INTEGRATION_BODY_MAX_BYTES, maxDepth: WEBHOOK_BODY_MAX_DEPTH };

/** One instance for the isolate: see the class. */
const requestLimit = new RequestLimit();

export const integrationEndpoints: readonly Endpoint[] = [
  endpoint(api.listIntegrations, async (c) => answerPage(c, await listIntegrationViews(c.var.deps, c.req.query()))),
  endpoint(api.createIntegration, async (c) => {
    const input = await readBody(c);
    return created(c, await createIntegration(c.var.deps, c.var.principal.actor, input, publicOrigin(c)));
  }),
  endpoint(api.updateIntegration, async (c) =>
    answer(c, await updateIntegration(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c))),
  ),
  endpoint(api.deleteIntegration, async (c) =>
    answer(c, await deleteIntegration(c.var.deps, c.var.principal.actor, pathParam(c))),
  ),
  endpoint(api.deliverAlertmanager, async (c) => {
    const integration = await sender(c, "alertmanager");
    return deliver(c, integration, readAlertmanager(await readJson(c), severityBy(integration.severities)));
  }),
  endpoint(api.deliverPagerduty, deliverPagerduty),
  endpoint(api.deliverPagerdutyEnqueue, deliverPagerduty),
  endpoint(api.deliverCloudevents, async (c) => {
    const integration = await sender(c, "cloudevents");
    const severityOf = severityBy(integration.severities);
    const body = await readCloudEventsBody(c.req.raw, BODY_LIMITS);
    const reads =
      body.mode === "one"
        ? [readCloudEvent(body.event, [], severityOf)]
        : body.events.map((event, index) => readCloudEvent(event, [index], severityOf));
    return deliver(c, integration, reads);
  }),
];

/** PagerDuty clients read the status word and the key, so errors of the event have PagerDuty's form too. */
async function deliverPagerduty(context: Context<AppEnv>): Promise<Response> {
  const integration = await sender(context, "pagerduty");
  try {
    const signal = readPagerduty(await readJson(context), severityBy(integration.severities));
    await take(context, integration, [{ ok: true, signal }]);
    return context.json({ status: "success", message: "Event processed", dedup_key: signal.dedupKey }, 202);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "invalid_request") throw error;
    context.set("problemCode", error.code);
    await countRejected(context.var.deps, 1);
    const all = error.errors ?? [];
    // For a body that is not JSON, the problem's own message says most.
    const said = all.some(({ line }) => line !== undefined) ? [] : all.map(fieldErrorMessage);
    const errors = said.length > 0 ? said : [error.message];
    return context.json({ status: "invalid event", message: "Event object is invalid", errors }, 400);
  }
}

function sender(context: Context<AppEnv>, kind: IntegrationKind): Promise<Integration> {
  return authenticateIntegration(context.var.deps, requestLimit, kind, pathParam(context, "key"));
}

/** A missing body is an empty object, so that validation lists the missing fields. */
async function readJson(context: Context<AppEnv>): Promise<JsonValue> {
  return (await readJsonBody(context.req.raw, BODY_LIMITS))?.value ?? {};
}

async function deliver(context: Context<AppEnv>, integration: Integration, reads: readonly Read[]): Promise<Response> {
  return answer(context, { results: await take(context, integration, reads) });
}

/** The answer waits for the stored events, but not for their workflows. Those start even if some events failed. */
async function take(context: Context<AppEnv>, integration: Integration, reads: readonly Read[]) {
  const events: EventRow[] = [];
  try {
    return await receive(context.var.deps, integration, reads, (event) => events.push(event));
  } finally {
    afterwards(context, matchEvents(context.var.deps, events));
  }
}
