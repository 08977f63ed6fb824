import { z } from "zod";
import { success } from "./agent-client.ts";
import type { Bellhop } from "./bellhop.ts";
import { eventually } from "./eventually.ts";
import { acceptedId, call, createWebhookWorkflow, ended, getExecution } from "./management.ts";
import type { Webhook } from "./management.ts";
import { WorkingAgent, failure } from "./working-agent.ts";

const DAY_MS = 24 * 60 * 60_000;
const withId = z.object({ id: z.string() });

/** A deployment like a team's after some weeks: some data for every page of the console. */
export interface Seeded {
  agentId: string;
  poolId: string;
  connectionId: string;
  workflowId: string;
  cronWorkflowId: string;
  incidentId: string;
  executions: { failed: string; succeeded: string; forApproval: string; looped: string; waiting: string };
  stop(): Promise<void>;
}

export async function seedConsole(bellhop: Bellhop): Promise<Seeded> {
  const agent = await WorkingAgent.start(bellhop, "web");
  const agents = z.array(withId).parse((await list(bellhop, "/agents")).data);
  const agentId = agents[0]?.id ?? "";
  await call(bellhop, "PATCH", `/agents/${agentId}`, { name: "web-1", description: "Rack 3, Frankfurt" }, withId);
  const offline = { name: "db-1", description: "Next to the orders database", poolId: "db" };
  await call(bellhop, "POST", "/agents", offline, z.object({ agent: withId }));
  const connections = await seedConnections(bellhop);

  const restart = await webhookWorkflow(bellhop, "Restart checkout when it stops answering", restartGraph(connections));
  const disks = await webhookWorkflow(bellhop, "Make room on full disks", disksGraph(connections));
  const failover = await webhookWorkflow(bellhop, "Fail over the orders database", failoverGraph(connections));
  const broken = await webhookWorkflow(bellhop, "Renew the edge certificates", oneScript(connections.scripts, "renew"));
  const stuck = await webhookWorkflow(
    bellhop,
    "Vacuum the orders database",
    oneScript(connections.onDatabase, "vacuum"),
  );
  const cronWorkflowId = await seedSchedule(bellhop, connections.scripts);
  await call(bellhop, "POST", "/workflows", draft(connections.scripts), withId);

  agent.does((job) =>
    String(job.params["script"]).includes("renew")
      ? failure(job, "certbot ended with exit code 1: the challenge of edge-2.example.com was not answered.")
      : { ...success(job), output: { stdout: OUTPUT, stderr: "", exitCode: 0, truncated: false } },
  );
  const succeeded = await ringTo(restart, { service: "checkout", host: "web-1" });
  await ended(bellhop, succeeded);
  const looped = await ringTo(disks, { disks: ["/", "/var", "/srv/backup"] });
  await ended(bellhop, looped);
  let failed = "";
  for (let run = 0; run < 5; run += 1) {
    failed = await ringTo(broken, { run });
    await ended(bellhop, failed);
  }
  const forApproval = await ringTo(failover, { database: "orders", to: "db-2" });
  await eventually("a person to be asked", async () =>
    (await getExecution(bellhop, forApproval)).nodeRuns.some(({ status }) => status === "waiting"),
  );
  const waiting = await ringTo(stuck, { table: "orders" });
  const incidentId = await seedIncidents(bellhop);
  await seedRules(bellhop, cronWorkflowId);
  return {
    agentId,
    poolId: "web",
    connectionId: connections.ssh,
    workflowId: restart.workflowId,
    cronWorkflowId,
    incidentId,
    executions: { failed, succeeded, forApproval, looped, waiting },
    stop: () => agent.stop(),
  };
}

const OUTPUT = `● checkout.service - Checkout
     Active: active (running) since Sat 2026-11-21 03:12:44 UTC; 4s ago
   Main PID: 48213 (node)
      Tasks: 23 (limit: 9387)
     Memory: 182.4M
`;

/** An integration, a limit, a notification rule, and a maintenance window of tomorrow, which shows on its own page only. */
async function seedRules(bellhop: Bellhop, workflowId: string): Promise<void> {
  await call(bellhop, "POST", "/integrations", { name: "Alertmanager of eu-1", kind: "alertmanager" }, z.unknown());
  const limit = { name: "Restarts of a service", maxRuns: 3, periodSeconds: 3_600, whenReached: "approve" };
  await call(bellhop, "POST", "/limits", limit, withId);
  const to = { name: "On-call mail", type: "email", to: "on-call@example.com" };
  const { id: receiver } = await call(bellhop, "POST", "/notification-receivers", to, withId);
  const quietHours = { timeZone: "Europe/Berlin", from: "22:00", to: "07:00" };
  const rule = { name: "Failures by day", on: "run_failed", receivers: [receiver], quietHours };
  await call(bellhop, "POST", "/notification-rules", rule, withId);
  const startsAt = Date.now() + DAY_MS;
  const window = {
    name: "New storage for the builds",
    reason: "The volume moves to another array.",
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(startsAt + DAY_MS / 12).toISOString(),
    mode: "hold",
    workflowIds: [workflowId],
  };
  await call(bellhop, "POST", "/maintenance-windows", window, withId);
}

interface Connections {
  ssh: string;
  scripts: string;
  onDatabase: string;
}

async function seedConnections(bellhop: Bellhop): Promise<Connections> {
  const create = async (body: unknown) => (await call(bellhop, "POST", "/connections", body, withId)).id;
  const ssh = await create({
    name: "web-1 over SSH",
    type: "ssh",
    poolId: "web",
    config: { host: "web-1.internal", username: "deploy", authMethod: "privateKey" },
  });
  await create({
    name: "Status page API",
    type: "http",
    poolId: "web",
    config: { baseUrl: "https://status.example.com", authType: "bearer" },
  });
  const database = { host: "db-1.internal", database: "orders", driver: "postgres", tls: "verify" };
  await create({ name: "Orders database", type: "database", poolId: "db", config: database });
  await create({ name: "Ops channel", type: "chat", poolId: "web", config: { defaultChannel: "C0123456789" } });
  const scripts = await create({ name: "Scripts on the web hosts", type: "script", poolId: "web" });
  const onDatabase = await create({ name: "Scripts beside the database", type: "script", poolId: "db" });
  return { ssh, scripts, onDatabase };
}

async function webhookWorkflow(bellhop: Bellhop, name: string, definition: unknown): Promise<Webhook> {
  const webhook = await createWebhookWorkflow(bellhop, definition);
  const path = `/workflows/${webhook.workflowId}`;
  await call(bellhop, "PUT", path, { name, trigger: { type: "webhook" }, definition }, withId);
  return webhook;
}

function oneScript(connectionId: string, script: string) {
  return { nodes: [action("run", connectionId, script)], edges: [] };
}

function action(id: string, connectionId: string, script: string, name?: string) {
  return {
    id,
    ...(name === undefined ? {} : { name }),
    type: "action",
    action: "script.bash",
    connectionId,
    params: { script },
  };
}

function restartGraph({ scripts }: Connections) {
  const equals = { field: "nodes.look.output.exitCode", operator: "equals", value: 0 };
  return {
    nodes: [
      action("look", scripts, 'systemctl status -- "{{webhook.service}}"', "Look at the service"),
      { id: "healthy", name: "Does it answer?", type: "condition", when: { logic: "all", conditions: [equals] } },
      { id: "settle", name: "Give it a moment", type: "delay", seconds: 1 },
      action("restart", scripts, 'systemctl restart -- "{{webhook.service}}"', "Restart it"),
      action("report", scripts, "echo done", "Notify the ops channel"),
      { id: "trouble", name: "When something fails", type: "errorHandler" },
      action("page", scripts, "echo page", "Page the on-call engineer"),
    ],
    edges: [
      { from: "look", to: "healthy", on: "success" },
      { from: "healthy", to: "settle", on: "true" },
      { from: "healthy", to: "restart", on: "false" },
      { from: "settle", to: "report", on: "success" },
      { from: "restart", to: "report", on: "success" },
      { from: "trouble", to: "page", on: "success" },
    ],
  };
}

function disksGraph({ scripts }: Connections) {
  return {
    nodes: [
      {
        id: "each",
        name: "Each full disk",
        type: "forEach",
        items: "{{webhook.disks}}",
        concurrency: 2,
        body: {
          nodes: [
            onDisk(action("measure", scripts, 'du -xsh -- "$DISK"')),
            onDisk(action("prune", scripts, 'prune -- "$DISK"')),
          ],
          edges: [{ from: "measure", to: "prune", on: "success" }],
        },
      },
      action("summary", scripts, "df -h"),
    ],
    edges: [{ from: "each", to: "summary", on: "success" }],
  };
}

/** The disk's path is in its environment: a value in place must not begin with a slash. */
function onDisk(node: ReturnType<typeof action>) {
  return { ...node, params: { ...node.params, env: { DISK: "{{foreach.item}}" } } };
}

function failoverGraph({ scripts }: Connections) {
  return {
    nodes: [
      action("lag", scripts, "echo lag", "Measure the replication lag"),
      {
        id: "sure",
        name: "Ask a person",
        type: "approval",
        message: "Fail over {{webhook.database}} to {{webhook.to}}? Writes stop for about ten seconds.",
      },
      action("promote", scripts, "echo promote", "Promote the replica"),
      action("leave", scripts, "echo leave", "Leave it as it is"),
    ],
    edges: [
      { from: "lag", to: "sure", on: "success" },
      { from: "sure", to: "promote", on: "approved" },
      { from: "sure", to: "leave", on: "rejected" },
    ],
  };
}

function draft(connectionId: string) {
  return {
    name: "Rotate the log volume (not finished)",
    description: "Waits for the new volume of the storage team.",
    trigger: { type: "manual", inputs: { volume: { type: "string", required: true } } },
    definition: oneScript(connectionId, 'rotate "{{inputs.volume}}"'),
  };
}

async function seedSchedule(bellhop: Bellhop, connectionId: string): Promise<string> {
  const trigger = { type: "cron", expression: "30 2 * * 1-5", timezone: "Europe/Berlin" };
  const body = { name: "Clean up nightly builds", trigger, definition: oneScript(connectionId, "clean") };
  const { id } = await call(bellhop, "POST", "/workflows", body, withId);
  await call(bellhop, "POST", `/workflows/${id}/publish`, undefined, z.unknown());
  await call(bellhop, "POST", `/workflows/${id}/activate`, undefined, z.unknown());
  return id;
}

async function seedIncidents(bellhop: Bellhop): Promise<string> {
  const create = async (body: unknown) => (await call(bellhop, "POST", "/incidents", body, withId)).id;
  const resolved = await create({ title: "Certificate of edge-2 expires in 3 days", severity: "low", service: "edge" });
  await call(bellhop, "POST", `/incidents/${resolved}/resolve`, {}, withId);
  await create({
    title: "Orders database: replication lag over 30 s",
    severity: "high",
    service: "orders",
    host: "db-1",
  });
  const incident = await create({
    title: "Checkout answers 503 to one request in five",
    description: "Error rate 21 % over the last five minutes.\nDashboard: checkout / errors.",
    severity: "critical",
    service: "checkout",
    host: "web-1",
    tags: { region: "eu-central", team: "payments" },
  });
  await call(bellhop, "POST", `/incidents/${incident}/acknowledge`, {}, withId);
  return incident;
}

async function ringTo(webhook: Webhook, variables: unknown): Promise<string> {
  return acceptedId(await webhook.ring({ variables }));
}

async function list(bellhop: Bellhop, path: string) {
  const response = await bellhop.api("GET", `/api/v1/automation${path}`);
  return z.object({ data: z.array(z.unknown()) }).parse(await response.json());
}
