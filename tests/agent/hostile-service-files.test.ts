import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { WakeServer } from "../support/wake-server.ts";
import { AgentHome } from "./agent-process.ts";

const STATE = "far/down/below/state";

let service: FakeService;
let front: WakeServer;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  front = new WakeServer({ forwardTo: service.url });
  home = await AgentHome.make();
});
afterEach(async () => {
  await home.remove();
  await front.stop();
  await service.stop();
});

/** Every file and directory in the agent's home outside its state directory. */
async function outside(): Promise<string[]> {
  const entries = await readdir(home.directory, { recursive: true });
  return entries.filter((entry) => !entry.startsWith(`${STATE}/`)).toSorted();
}

/** Jobs in which each field with a name is a path out of the directory, or a name that is special in JavaScript. */
function nastyJobs(): object[] {
  const job = { ...service.enqueue({ id: "pattern" }), lease: "raw" };
  const sync = {
    ...job,
    kind: "credentialSync",
    action: null,
    params: { state: "present", version: 1, jwe: "a.b.c.d.e" },
  };
  const ways = ["../escaped", "../../escaped", `${home.directory}/escaped`, "..", ".", "__proto__", "constructor"];
  return ways.flatMap((way, index) => [
    { ...job, id: way },
    { ...job, id: `lease-${index}`, lease: way },
    { ...job, id: `connection-${index}`, connection: { ...job.connection, id: way } },
    { ...job, id: `type-${index}`, connection: { ...job.connection, type: way } },
    { ...job, id: `action-${index}`, action: way },
    { ...sync, id: `sync-${index}`, connection: { ...job.connection, id: way } },
  ]);
}

test("for any names and floods of wakes from a hostile service, the agent writes only in its state directory and goes on running jobs", async () => {
  for (const path of [STATE, "tmp"]) await mkdir(home.path(path), { recursive: true });
  const before = await outside();
  const directories = { VAULT_PATH: home.path(`${STATE}/vault.json`), HOME: home.directory, TMPDIR: home.path("tmp") };
  await home.start(front.url, { env: { ...directories, POLL_INTERVAL: "3600", MAX_CONCURRENT_JOBS: "50" } });
  await eventually("the wake socket", () => front.open.size === 1);
  service.rawJobs.push(...nastyJobs());
  // Each poll causes the next wakes: an agent that obeyed each immediately would do nothing else.
  const wakeOnPoll = () => {
    service.beforeAnswer("jobs", wakeOnPoll);
    for (let count = 0; count < 50; count += 1) front.say("poll");
  };
  service.beforeAnswer("jobs", wakeOnPoll);
  front.say("poll");
  await eventually("the refusals", () => service.results.filter(({ status }) => status === "failed").length >= 14);
  const { id } = service.enqueue({ id: "honest", params: { script: "echo here; touch beside" } });
  await eventually("the honest job's result", () => service.resultsOf(id).length > 0);
  expect(service.resultsOf(id)).toMatchObject([{ status: "succeeded", output: { stdout: "here\n" } }]);
  const beats = service.heartbeats.length;
  await eventually("heartbeats under the flood", () => service.heartbeats.length > beats + 1);
  expect(await outside()).toEqual(before);
});
