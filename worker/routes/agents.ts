import * as api from "../../schema/contract/api/agents.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createEnrolment } from "../services/agents/create-enrolment.ts";
import { createAgent } from "../services/agents/create.ts";
import { deleteAgent } from "../services/agents/delete.ts";
import { getAgent } from "../services/agents/get.ts";
import { listAgentViews } from "../services/agents/list.ts";
import { regenerateAgentKey } from "../services/agents/regenerate-key.ts";
import { setAgentEnabled } from "../services/agents/set-enabled.ts";
import { updateAgent } from "../services/agents/update.ts";
import { verifyFingerprint } from "../services/agents/verify-fingerprint.ts";

export const agentEndpoints: readonly Endpoint[] = [
  endpoint(api.listAgents, async (c) => answerPage(c, await listAgentViews(c.var.deps, c.req.query()))),
  endpoint(api.createAgent, async (c) =>
    created(c, await createAgent(c.var.deps, c.var.principal.actor, await readBody(c))),
  ),
  endpoint(api.getAgent, async (c) => answerTagged(c, await getAgent(c.var.deps, pathParam(c)))),
  endpoint(api.updateAgent, async (c) =>
    answerTagged(
      c,
      await updateAgent(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c), expectedRevisions(c)),
    ),
  ),
  endpoint(api.deleteAgent, async (c) =>
    answer(c, await deleteAgent(c.var.deps, c.var.principal.actor, pathParam(c), expectedRevisions(c))),
  ),
  endpoint(api.regenerateAgentKey, async (c) =>
    created(c, await regenerateAgentKey(c.var.deps, c.var.principal.actor, pathParam(c))),
  ),
  endpoint(api.createEnrolment, async (c) =>
    created(c, await createEnrolment(c.var.deps, c.var.principal.actor, pathParam(c))),
  ),
  endpoint(api.verifyFingerprint, async (c) =>
    answer(c, await verifyFingerprint(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c))),
  ),
  endpoint(api.enableAgent, async (c) =>
    answerTagged(c, await setAgentEnabled(c.var.deps, c.var.principal.actor, pathParam(c), true, expectedRevisions(c))),
  ),
  endpoint(api.disableAgent, async (c) =>
    answerTagged(
      c,
      await setAgentEnabled(c.var.deps, c.var.principal.actor, pathParam(c), false, expectedRevisions(c)),
    ),
  ),
];
