import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RESTORE_MARK } from "../../scripts/service/state.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  call,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { OneMachine } from "../support/one-machine.ts";
import { WorkingAgent, x } from "../support/working-agent.ts";
import { success } from "../support/agent-client.ts";

/** Each of these tests builds, starts and restores a whole deployment. */
const LIMIT_MS = 300_000;

let machine: OneMachine;
beforeAll(async () => {
  machine = await OneMachine.install();
  await machine.start();
}, LIMIT_MS);
afterAll(() => machine.dispose());

describe("restoring a backup of a running service", () => {
  test(
    "loses no accepted event, runs nothing twice, and continues",
    async () => {
      const worked = await workflowFor("worked");
      const alone = await workflowFor("alone");
      const agent = await WorkingAgent.start(machine, "worked");
      agent.does((job) => (x(job) === "held" ? null : success(job)));

      const finished = await ringMany(worked, "before", 12);
      await Promise.all(finished.map((id) => ended(machine, id)));
      const held = await acceptedId(await worked.ring({ variables: { x: "held" } }));
      await eventually("the agent to hold a job", () => agent.given().includes("held"));
      const queued = await acceptedId(await alone.ring({ variables: { x: "queued" } }));
      await eventually("a job to wait for an agent", async () => (await jobOf(queued)) !== null);

      const traffic = ringMany(worked, "during", 20);
      const backup = await machine.backUp();
      const during = await traffic;
      const live = await machine.restore(backup, "end");
      expect(live.exitCode).toBe(1);
      expect(live.output).toContain("systemctl stop bellhop.service bellhop-libsql.service");
      await Promise.all(during.map((id) => ended(machine, id)));
      // Both jobs end after the backup. After the restore the one that ran is ended, and the queued one runs.
      const helper = await WorkingAgent.start(machine, "alone");
      await ended(machine, queued);
      agent.finishesHeld();
      agent.does((job) => success(job));
      await ended(machine, held);
      await helper.stop();
      const ranBefore = agent.jobs.length;

      await machine.stop("SIGKILL");
      await rm(machine.state, { recursive: true });
      const restored = await machine.restore(backup, "end");
      expect(restored).toMatchObject({ exitCode: 0 });
      expect(restored.output).toMatch(/ended \d+ executions that were running/u);
      await machine.start();

      for (const id of finished) expect((await getExecution(machine, id)).status).toBe("succeeded");
      for (const id of [held, queued]) {
        const execution = await getExecution(machine, id);
        expect(execution).toMatchObject({ status: "failed", error: { code: "restored" } });
        expect(execution.nodeRuns.map(({ status }) => status)).toEqual(["cancelled", "skipped"]);
      }
      const again = await WorkingAgent.start(machine, "alone");
      const [after = ""] = await ringMany(worked, "after", 1);
      expect((await ended(machine, after)).status).toBe("succeeded");
      const [elsewhere = ""] = await ringMany(alone, "after", 1);
      expect((await ended(machine, elsewhere)).status).toBe("succeeded");
      const late = agent.jobs.slice(ranBefore).filter((job) => !x(job).startsWith("during"));
      expect(late.map(x)).toEqual(["after-0", "after-0"]);
      expect(again.jobs.map(x)).toEqual(["after-0", "after-0"]);

      const retry = await call(
        machine,
        "POST",
        `/executions/${queued}/retry`,
        {},
        z.object({ executionId: z.string() }),
      );
      expect((await ended(machine, retry.executionId)).status).toBe("succeeded");
      await Promise.all([agent.stop(), again.stop()]);
    },
    LIMIT_MS,
  );

  test(
    "continues every job after an orderly move to another machine",
    async () => {
      const moved = await workflowFor("moved");
      const id = await acceptedId(await moved.ring({ variables: { x: "moved" } }));
      await eventually("a job to wait for an agent", async () => (await jobOf(id)) !== null);
      await machine.stop();
      const backup = await machine.backUp();
      await rm(machine.state, { recursive: true });
      expect((await machine.restore(backup, "continue")).exitCode).toBe(0);
      await machine.start();
      expect((await getExecution(machine, id)).status).toBe("running");
      const agent = await WorkingAgent.start(machine, "moved");
      expect((await ended(machine, id)).status).toBe("succeeded");
      expect(agent.jobs.map(x)).toEqual(["moved", "moved"]);
      await agent.stop();
    },
    LIMIT_MS,
  );

  test(
    "keeps the former state, and refuses a damaged, incomplete or invalid backup",
    async () => {
      const backup = await machine.backUp();
      await machine.stop();
      const goingOn = await machine.restore(backup, "continue");
      expect(goingOn).toMatchObject({ exitCode: 1 });
      expect(goingOn.output).toContain("was made while the service ran");
      expect((await machine.restore(backup, "end")).exitCode).toBe(0);
      expect((await readdir(machine.state)).some((name) => name.startsWith("before-restore-"))).toBe(true);

      expect((await machine.restore(machine.backups, "end")).output).toContain("is not a backup");
      const damaged = join(backup, "database/bellhop.db");
      await writeFile(damaged, (await Bun.file(damaged).bytes()).fill(0, 4_096, 4_200));
      expect((await machine.restore(backup, "end")).output).toContain("is damaged: database/bellhop.db");
      expect(await readdir(machine.state)).not.toContain(".restoring");
      await rm(damaged);
      expect((await machine.restore(backup, "end")).output).toContain("is incomplete: database/bellhop.db is missing");
      const unsaid = await machine.bellhopctl("restore", "--from", backup, "--state", machine.state);
      expect(unsaid).toMatchObject({ exitCode: 64 });
      expect(unsaid.output).toContain("--in-flight end");
      await machine.start();
      expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
    },
    LIMIT_MS,
  );

  test(
    "is repeated after an interruption, and the database does not start before that",
    async () => {
      const backup = await machine.backUp();
      await machine.stop();
      // The state after the machine fails between the renames: the former state is aside, with nothing in its place.
      await rename(join(machine.state, "database"), join(machine.state, "before-restore-database"));
      await writeFile(join(machine.state, RESTORE_MARK), "");
      const file = join(machine.state, "database/bellhop.db");
      await expect(machine.startUnit("bellhop-libsql.service")).rejects.toThrow("was interrupted. Run it again");
      expect(await Bun.file(file).exists()).toBe(false);
      expect(await machine.restore(backup, "end")).toMatchObject({ exitCode: 0 });
      await machine.start();
      expect((await fetch(`${machine.url}/readyz`)).status).toBe(200);
    },
    LIMIT_MS,
  );

  test("keeps the newest backups, and leaves other files alone", async () => {
    await writeFile(join(machine.backups, "notes.txt"), "mine");
    const newest = await machine.backUp();
    const keep = ["backup", "--state", machine.state, "--to", machine.backups, "--keep"];
    expect((await machine.bellhopctl(...keep, "2")).exitCode).toBe(0);
    const left = await readdir(machine.backups);
    expect(left.filter((name) => name.startsWith("2"))).toHaveLength(2);
    expect(left).toContain(newest.split("/").at(-1) ?? "");
    expect(left).toContain("notes.txt");
    expect((await machine.bellhopctl(...keep, "none")).exitCode).toBe(64);
    const nowhere = await machine.bellhopctl("backup", "--state", join(machine.root, "none"), "--to", machine.backups);
    expect(nowhere).toMatchObject({ exitCode: 1 });
    expect(nowhere.output).toContain("There is no database in");
  });
});

/** A webhook's workflow of two unsafe actions in sequence, for the agents of a pool. */
async function workflowFor(poolId: string): Promise<Webhook> {
  const connectionId = await createConnection(machine, { type: "script", poolId });
  const params = { script: "true", env: { X: "{{webhook.x}}" } };
  const nodes = ["first", "second"].map((id) => ({ id, type: "action", action: "script.bash", connectionId, params }));
  return createWebhookWorkflow(machine, { nodes, edges: [{ from: "first", to: "second", on: "success" }] });
}

async function ringMany(webhook: Webhook, name: string, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < times; i++) ids.push(await acceptedId(await webhook.ring({ variables: { x: `${name}-${i}` } })));
  return ids;
}

async function jobOf(executionId: string): Promise<string | null> {
  return (await getExecution(machine, executionId)).nodeRuns[0]?.jobId ?? null;
}
