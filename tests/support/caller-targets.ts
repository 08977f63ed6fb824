import { z } from "zod";
import type { Operation } from "../../schema/contract/operation.ts";
import type { Bellhop } from "./bellhop.ts";
import { call } from "./management.ts";
import { AUTH, createToken, createUser, signedIn, succeeded } from "./people.ts";
import type { Browser } from "./people.ts";
import { WINDOWS, windowFields } from "./maintenance.ts";

/**
 * An existing object that belongs to none of the callers and is for one operation alone: its id, and its present
 * content.
 */
export interface Target {
  id: string;
  state(): Promise<string>;
}

const BASE = "/api/v1/automation";
const withId = z.object({ id: z.string() });
const DEFINITION = { nodes: [{ id: "pause", type: "delay", seconds: 3_600 }], edges: [] };

/** Whether `makeTargets` can make the object for the id in an operation's path. */
export function hasTarget({ path }: Operation): boolean {
  return path.includes("{id}");
}

/** Makes the object for the `{id}` of a path, by its resource. Throws for a resource that is missing here. */
export async function makeTargets(bellhop: Bellhop): Promise<(operation: Operation) => Promise<Target>> {
  const owner = await signedIn(bellhop, await createUser(bellhop));
  const made = async (path: string, body: object): Promise<Target> => {
    const { id } = await call(bellhop, "POST", path, body, withId);
    return shownAt(bellhop, id, `${BASE}${path}/${id}`);
  };
  const connection = () => made("/connections", { name: "a connection", type: "script", config: {} });
  const workflow = () => made("/workflows", { name: "w", trigger: { type: "webhook" }, definition: DEFINITION });
  const makers: Readonly<Record<string, () => Promise<Target>>> = {
    workflows: workflow,
    connections: connection,
    // Its events are matched with workflows a moment later, which the list does not show.
    incidents: async () => {
      const { id } = await made("/incidents", { title: "an incident" });
      return listedAt(bellhop, id, `${BASE}/incidents`);
    },
    executions: async () => {
      const { id } = await workflow();
      await call(bellhop, "POST", `/workflows/${id}/publish`, undefined, withId);
      const started = z.object({ executionId: z.string() });
      const { executionId } = await call(bellhop, "POST", `/workflows/${id}/execute`, {}, started);
      return listedAt(bellhop, executionId, `${BASE}/executions`);
    },
    jobs: async () => {
      const { id } = await made("/connections", { name: "c", type: "script", config: {}, poolId: "callers" });
      const queued = z.object({ jobId: z.string() });
      const { jobId } = await call(bellhop, "POST", `/connections/${id}/test?waitSeconds=0`, undefined, queued);
      return shownAt(bellhop, jobId, `${BASE}/jobs/${jobId}`);
    },
    agents: async () => {
      const { agent } = await call(bellhop, "POST", "/agents", { name: "an agent" }, z.object({ agent: withId }));
      return shownAt(bellhop, agent.id, `${BASE}/agents/${agent.id}`);
    },
    pools: async () => {
      await call(bellhop, "POST", "/agents", { name: "a member", poolId: "callers" }, z.unknown());
      return shownAt(bellhop, "callers", `${BASE}/pools/callers`);
    },
    integrations: async () => {
      const shape = z.object({ integration: withId });
      const body = { name: "an integration", kind: "alertmanager" };
      const { integration } = await call(bellhop, "POST", "/integrations", body, shape);
      return listedAt(bellhop, integration.id, `${BASE}/integrations`);
    },
    limits: () => made("/limits", { name: crypto.randomUUID(), maxRuns: 1, periodSeconds: 3_600, whenReached: "end" }),
    "maintenance-windows": async () => {
      const { id } = await call(
        bellhop,
        "POST",
        WINDOWS,
        windowFields({ workflowIds: [(await workflow()).id] }),
        withId,
      );
      return shownAt(bellhop, id, `${BASE}${WINDOWS}/${id}`);
    },
    "notification-receivers": () =>
      made("/notification-receivers", { name: crypto.randomUUID(), type: "email", to: "ada@example.com" }),
    "notification-rules": async () => {
      const receiver = { name: crypto.randomUUID(), type: "email", to: "ada@example.com" };
      const { id } = await made("/notification-receivers", receiver);
      return made("/notification-rules", { name: crypto.randomUUID(), on: "run_failed", receivers: [id] });
    },
    users: async () => listedAt(bellhop, (await createUser(bellhop, { role: "viewer" })).id, `${BASE}/users`),
    tokens: () => tokenOf(bellhop, owner),
  };
  return ({ path }) => {
    const resource = path.split("/")[path.startsWith(AUTH) ? 3 : 4] ?? "";
    const make = makers[resource.replace(/^auth$/u, "tokens")];
    if (make === undefined) throw new Error(`caller-targets.ts does not know {id} of ${path}. Add its maker there.`);
    return make();
  };
}

async function tokenOf(bellhop: Bellhop, owner: Browser): Promise<Target> {
  const { token } = await createToken(owner, { permissions: ["automation:read"] });
  return listedAt(bellhop, token.id, `${AUTH}/tokens?owner=everyone&limit=200`);
}

function shownAt(bellhop: Bellhop, id: string, path: string): Target {
  return {
    id,
    state: async () => JSON.stringify(await succeeded(await bellhop.api("GET", path), z.unknown())),
  };
}

/** For an object without its own address. */
function listedAt(bellhop: Bellhop, id: string, path: string): Target {
  return {
    id,
    state: async () => {
      const answer: unknown = await (await bellhop.api("GET", path)).json();
      const { data } = z.object({ data: z.array(z.looseObject({ id: z.string() })) }).parse(answer);
      const found = data.find((one) => one.id === id);
      if (found === undefined) throw new Error(`${id} is not in ${path}`);
      return JSON.stringify(found);
    },
  };
}
