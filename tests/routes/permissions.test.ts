import { describe, expect, test } from "bun:test";
import { Hono } from "hono";
import { permissionSchema } from "../../schema/contract/people.ts";
import type { Permission } from "../../schema/contract/people.ts";
import type { AppEnv } from "../../worker/http/app-types.ts";
import { agentsRoutes } from "../../worker/routes/agents.ts";
import { connectionsRoutes } from "../../worker/routes/connections.ts";
import { executionsRoutes } from "../../worker/routes/executions.ts";
import { jobsRoutes } from "../../worker/routes/jobs.ts";
import { workflowsRoutes } from "../../worker/routes/workflows.ts";
import { ProblemError } from "../../worker/services/problem.ts";

/** The routes themselves, called by somebody whose permissions the test chooses: what is refused gets no further. */
const RESOURCES = {
  agents: agentsRoutes,
  connections: connectionsRoutes,
  workflows: workflowsRoutes,
  executions: executionsRoutes,
  jobs: jobsRoutes,
};

function appFor(permissions: readonly Permission[]): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    context.set("principal", { kind: "token", userId: null, actor: "somebody", permissions: new Set(permissions) });
    await next();
  });
  for (const [name, routes] of Object.entries(RESOURCES)) app.route(`/${name}`, routes);
  // Whoever is let on meets a service that has nothing to work with: it fails, or finds the empty body wanting.
  app.onError((error, context) => context.text(error instanceof ProblemError ? error.message : "let on"));
  return app;
}

const NEEDED: [Permission, string[]][] = [
  [
    "automation:read",
    [
      "GET /agents",
      "GET /agents/x",
      "GET /connections",
      "GET /connections/x",
      "GET /workflows",
      "GET /workflows/x",
      "GET /workflows/x/versions",
      "POST /workflows/validate",
      "GET /executions",
      "GET /executions/x",
      "GET /jobs/x",
    ],
  ],
  [
    "agents:write",
    [
      "POST /agents",
      "PATCH /agents/x",
      "DELETE /agents/x",
      "POST /agents/x/enable",
      "POST /agents/x/disable",
      "POST /agents/x/regenerate-key",
    ],
  ],
  [
    "connections:write",
    [
      "POST /connections",
      "PATCH /connections/x",
      "DELETE /connections/x",
      "POST /connections/x/enable",
      "POST /connections/x/disable",
    ],
  ],
  [
    "automation:write",
    [
      "POST /workflows",
      "PUT /workflows/x",
      "DELETE /workflows/x",
      "POST /workflows/x/publish",
      "POST /workflows/x/unpublish",
      "POST /workflows/x/activate",
      "POST /workflows/x/deactivate",
      "POST /workflows/x/webhook-key",
    ],
  ],
  ["automation:execute", ["POST /workflows/x/execute", "POST /executions/x/cancel"]],
];

describe.each(NEEDED)("%s", (permission, calls) => {
  const others = permissionSchema.options.filter((option) => option !== permission);

  test.each(calls)("is needed for %s, and enough", async (line) => {
    const [method = "", path = ""] = line.split(" ");
    const without = await appFor(others).request(path, { method });
    expect(await without.text()).toBe(`This needs the permission ${permission}. Ask an administrator for it.`);
    expect(await (await appFor([permission]).request(path, { method })).text()).not.toContain("This needs");
  });
});

test("no route stands outside this table", () => {
  const routed = Object.entries(RESOURCES).flatMap(([name, routes]) =>
    routes.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} /${name}${path === "/" ? "" : path.replace(":id", "x")}`),
  );
  expect([...new Set(routed)].sort()).toEqual(NEEDED.flatMap(([, calls]) => calls).sort());
});
