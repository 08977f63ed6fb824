import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { Journal } from "../../agent/journal/index.ts";
import { Vault } from "../../agent/vault/index.ts";
import type { JobResult } from "../../schema/contract/agent.ts";
import { resolverFor, secretsIn } from "../support/bound-credential.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { pidIn } from "../support/processes.ts";
import { SmallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { AgentHome } from "./agent-process.ts";
import type { AgentProcess } from "./agent-process.ts";

const ADMIN_TOKEN = "0123456789abcdef0123456789abcdef";
const named = (what: string) => (smallDiskMissing === null ? what : `${what} (${smallDiskMissing})`);

describe.skipIf(smallDiskMissing !== null)(named("the agent on a disk that is full"), () => {
  let service: FakeService;
  let home: AgentHome;
  let disk: SmallDisk;
  beforeEach(async () => {
    service = await FakeService.start();
    home = await AgentHome.make();
    disk = await SmallDisk.mount({ kib: 8_192 });
  });
  afterEach(async () => {
    await writeFile(home.path("stop"), "");
    await home.remove();
    await service.stop();
    await disk.remove();
    expect(service.violations).toEqual([]);
  });

  const start = () =>
    home.start(service.url, { env: { VAULT_PATH: disk.path("vault.json"), MAX_CONCURRENT_JOBS: "2", ADMIN_TOKEN } });
  const printing = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`;
  const waitingThen = (then: string) =>
    `echo $$ > ${home.path("pid")}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done; ${then}`;
  const capacity = () => service.callsTo("jobs").at(-1)?.query.get("capacity");

  async function condition(agent: AgentProcess): Promise<string> {
    const response = await fetch(`${await agent.adminUrl()}/v1/status`, {
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const status = z.object({ data: z.object({ journal: z.object({ condition: z.string() }) }) });
    return status.parse(await response.json()).data.journal.condition;
  }

  /** By the first heartbeat, the agent has written its vault and taken the reserve. */
  async function settled(): Promise<void> {
    await eventually("a heartbeat", () => service.heartbeats.length > 0);
    expect((await Bun.file(disk.path("vault.journal.reserve")).stat()).size).toBeGreaterThan(1_000_000);
  }

  test("polls for no jobs, keeps sending heartbeats and says why; with room again, it runs jobs", async () => {
    const agent = await start();
    await settled();
    await disk.fill();
    await eventually("a poll without room", () => capacity() === "0");
    expect(await condition(agent)).toBe("disk full");
    expect(agent.log()).toContain("the disk is full: no new job begins until space is free");
    const { id } = service.enqueue({ params: { script: "echo ran" } });
    const beats = service.heartbeats.length;
    await eventually("heartbeats that go on", () => service.heartbeats.length > beats + 1);
    expect(service.jobOf(id).lease).toBe("");
    await disk.free();
    await eventually("the result", () => service.resultsOf(id).length === 1);
    expect(service.resultsOf(id)).toMatchObject([{ status: "succeeded", ack: "accepted" }]);
    expect(await condition(agent)).toBe("writable");
    expect(agent.log().split("the disk is full").length).toBe(2);
  });

  test("writes the results of running jobs, and they survive a kill", async () => {
    const { id } = service.enqueue({ params: { script: waitingThen(printing(200_000)) } });
    const agent = await start();
    await pidIn(home.path("pid"));
    await settled();
    await disk.fill();
    service.fault("results", "hang");
    await writeFile(home.path("stop"), "");
    await eventually("the call that is never answered", () => service.callsTo("results").length === 1);
    agent.kill("SIGKILL");
    await agent.exited;
    const next = await start();
    await eventually("the result", () => service.resultsOf(id).length === 1);
    const [result] = service.resultsOf(id);
    expect(result).toMatchObject({ status: "succeeded", ack: "accepted" });
    expect(String(result?.output?.["stdout"]).length).toBe(200_000);
    await eventually("polls without room", () => capacity() === "0");
    expect(await condition(next)).toBe("disk full");
  });
});

describe.skipIf(smallDiskMissing !== null)(named("on a disk that is full"), () => {
  let disk: SmallDisk;
  let journals: Journal[];
  let lines: string[];
  let now: number;
  beforeEach(() => {
    now = Date.parse("2026-11-21T10:00:00.000Z");
    journals = [];
    lines = [];
  });
  afterEach(async () => {
    for (const journal of journals) await journal.close();
    await disk.remove();
  });

  const note = (message: string) => void lines.push(message);
  const log = { debug: note, info: note, warning: note, error: note };

  async function openJournal(reserveBytes: number): Promise<Journal> {
    const journal = await Journal.open({
      path: disk.path("vault.journal"),
      log,
      now: () => now,
      newId: () => crypto.randomUUID(),
      reserveBytes,
    });
    journals.push(journal);
    return journal;
  }

  function result(jobId: string, bytes: number): JobResult {
    const at = "2026-11-21T10:00:00.000Z";
    const output = { stdout: "x".repeat(bytes) };
    return { jobId, lease: `l-${jobId}`, status: "succeeded", output, error: null, startedAt: at, finishedAt: at };
  }

  async function began(journal: Journal, ids: string[]) {
    return await Promise.all(ids.map((jobId) => journal.begin({ jobId, lease: `l-${jobId}`, attempt: 1 })));
  }

  test("the reserve holds the results of running jobs; results beyond it are reported from memory and written later", async () => {
    disk = await SmallDisk.mount({ kib: 4_096 });
    const journal = await openJournal(500_000);
    await journal.tidy();
    const ids = ["a", "b", "c"];
    const entries = await began(journal, ids);
    await disk.fill();
    for (const entry of entries) await journal.finish(entry, result(entry.jobId, 200_000));
    expect({ condition: journal.condition, writable: journal.writable }).toEqual({
      condition: "disk full",
      writable: false,
    });
    const owed = await Promise.all(journal.owed().map((entry) => journal.resultOf(entry)));
    expect(owed.map(({ jobId, output }) => `${jobId} ${String(output?.["stdout"]).length}`)).toEqual(
      ids.map((id) => `${id} 200000`),
    );
    await expect(began(journal, ["d"])).rejects.toThrow("cannot write");
    expect(await journal.recover()).toBe(false);
    await disk.free();
    expect(await journal.recover()).toBe(true);
    const again = await openJournal(500_000);
    expect(again.owed().map(({ jobId }) => jobId)).toEqual(ids);
    expect((await Promise.all(again.owed().map((entry) => again.resultOf(entry)))).map(({ status }) => status)).toEqual(
      ids.map(() => "succeeded"),
    );
  });

  test("jobs that the service had already delivered begin, from the reserve", async () => {
    disk = await SmallDisk.mount({ kib: 4_096 });
    const journal = await openJournal(500_000);
    await journal.tidy();
    await disk.fill();
    // More than the rest of the journal's last page can hold.
    const many = Array.from({ length: 60 }, (_, index) => `job${index}`);
    const entries = await began(journal, many);
    expect(entries).toHaveLength(60);
    expect({ writable: journal.writable, takesNewJobs: journal.takesNewJobs }).toEqual({
      writable: true,
      takesNewJobs: false,
    });
    expect((await openJournal(500_000)).owed()).toHaveLength(60);
  });

  test("that can hold no more files, no job is taken, and the results of running jobs are written", async () => {
    disk = await SmallDisk.mount({ kib: 4_096, files: 20 });
    const journal = await openJournal(500_000);
    const [entry] = await began(journal, ["a"]);
    await disk.fillWithFiles();
    await journal.tidy();
    expect({ condition: journal.condition, writable: journal.writable }).toEqual({
      condition: "disk full",
      writable: true,
    });
    if (entry !== undefined) await journal.finish(entry, result("a", 1_000));
    expect((await openJournal(0)).owed().map(({ finished }) => finished?.place !== null)).toEqual([true]);
  });

  test("a journal that cannot be compacted stays whole, even after a partial write", async () => {
    disk = await SmallDisk.mount({ kib: 4_096 });
    const journal = await openJournal(0);
    for (const [index, entry] of (await began(journal, ["a", "b", "c", "d", "e"])).entries()) {
      await journal.finish(entry, result(entry.jobId, 400_000));
      if (index > 0) await journal.acknowledge({ jobId: entry.jobId, lease: entry.lease }, "accepted");
    }
    now += 25 * 3_600_000;
    await writeFile(disk.path("hole"), Buffer.alloc(100_000));
    await disk.fill();
    await rm(disk.path("hole"));
    await journal.tidy();
    expect(lines).toContain("the journal could not be shrunk");
    const [owed] = (await openJournal(0)).owed();
    expect(owed?.jobId).toBe("a");
  });

  test("a credential is refused, and the vault is unchanged", async () => {
    disk = await SmallDisk.mount({ kib: 1_024 });
    const open = () =>
      new Vault({
        path: disk.path("vault.json"),
        apiKey: FAKE_AGENT_KEY,
        log,
        now: () => 0,
        onChange: () => undefined,
        onNewKeyPair: () => undefined,
        resolveTarget: resolverFor(),
      });
    const vault = open();
    await vault.ready;
    await vault.deliver("con_1", { secrets: { password: "old" } }, 1);
    const before = await readFile(disk.path("vault.json"), "utf8");
    await disk.fill();
    await expect(vault.deliver("con_1", { secrets: { password: "new" } }, 2)).rejects.toThrow("ENOSPC");
    await expect(vault.deliver("con_2", { secrets: { password: "x".repeat(50_000) } }, 1)).rejects.toThrow("ENOSPC");
    expect(await readFile(disk.path("vault.json"), "utf8")).toBe(before);
    expect((await readdir(disk.directory)).toSorted()).toEqual(["filler", "vault.json"]);
    const again = open();
    await again.ready;
    expect(secretsIn(again, "con_1")).toEqual({ password: "old" });
    await disk.free();
    await again.deliver("con_1", { secrets: { password: "new" } }, 2);
    expect(secretsIn(again, "con_1")).toEqual({ password: "new" });
  });
});
