import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../agent/journal/index.ts";
import type { Entry } from "../../agent/journal/state.ts";
import type { JobResult, LeaseRef } from "../../schema/contract/agent.ts";

const HOUR_MS = 3_600_000;
let directory: string;
let path: string;
let now: number;
let open: Journal[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-journal-"));
  path = join(directory, "vault.journal");
  now = Date.parse("2026-11-21T10:00:00.000Z");
  open = [];
});
afterEach(async () => {
  for (const journal of open) await journal.close();
  await rm(directory, { recursive: true, force: true });
});

const silent = { debug() {}, info() {}, warning() {}, error() {} };

async function openJournal(at = path): Promise<Journal> {
  const journal = await Journal.open({ path: at, log: silent, now: () => now, newId: () => crypto.randomUUID() });
  open.push(journal);
  return journal;
}

function result(ref: LeaseRef, text = "done"): JobResult {
  const at = new Date(now).toISOString();
  return { ...ref, status: "succeeded", output: { stdout: text }, error: null, startedAt: at, finishedAt: at };
}

async function begun(journal: Journal, jobId: string, lease: string, attempt = 1): Promise<Entry> {
  return await journal.begin({ jobId, lease, attempt });
}

async function resultsOf(journal: Journal): Promise<JobResult[]> {
  return await Promise.all(journal.owed().map((entry) => journal.resultOf(entry)));
}

test("an unacknowledged result is kept across a restart", async () => {
  const first = await openJournal();
  const ref = { jobId: "job1", lease: "l1" };
  await first.finish(await begun(first, "job1", "l1"), result(ref));
  const second = await openJournal();
  expect(second.journalId).toBe(first.journalId);
  expect(await resultsOf(second)).toEqual([result(ref)]);
  expect(second.held()).toEqual([ref]);
});

test("a result is held immediately, and unacknowledged once it is on disk", async () => {
  const journal = await openJournal();
  const ref = { jobId: "job1", lease: "l1" };
  const finishing = journal.finish(await begun(journal, "job1", "l1"), result(ref));
  expect(journal.held()).toEqual([ref]);
  expect(journal.owed()).toEqual([]);
  await finishing;
  expect(await resultsOf(journal)).toEqual([result(ref)]);
});

test("a job that ran when the process ended has an unacknowledged result, interrupted, under its lease", async () => {
  await begun(await openJournal(), "job1", "l1");
  now += 1_000;
  const [owed] = await resultsOf(await openJournal());
  expect(owed).toMatchObject({ jobId: "job1", lease: "l1", status: "interrupted", error: { code: "interrupted" } });
  expect(owed?.startedAt).toBe("2026-11-21T10:00:00.000Z");
  expect(owed?.finishedAt).toBe("2026-11-21T10:00:01.000Z");
});

test("an acknowledged result is no longer held, and its lease is known for 24 hours", async () => {
  const journal = await openJournal();
  await journal.finish(await begun(journal, "job1", "l1"), result({ jobId: "job1", lease: "l1" }));
  await journal.acknowledge({ jobId: "job1", lease: "l1" }, "accepted");
  expect(journal.held()).toEqual([]);
  now += 24 * HOUR_MS;
  await journal.tidy();
  expect((await openJournal()).byLease({ jobId: "job1", lease: "l1" })).toBeDefined();
  now += 1;
  await journal.tidy();
  expect(journal.byLease({ jobId: "job1", lease: "l1" })).toBeUndefined();
});

test("a result is unacknowledged under the newer lease, also after a restart", async () => {
  const journal = await openJournal();
  const entry = await begun(journal, "job1", "l1");
  await journal.owe(entry, "l2");
  await journal.finish(entry, result({ jobId: "job1", lease: "l1" }));
  await journal.acknowledge({ jobId: "job1", lease: "l1" }, "stale");
  const again = await openJournal();
  expect((await resultsOf(again)).map(({ lease }) => lease)).toEqual(["l2"]);
  expect(again.byLease({ jobId: "job1", lease: "l1" })).toBe(again.byLease({ jobId: "job1", lease: "l2" }));
});

test("the file is private and has one line with a checksum per event", async () => {
  const journal = await openJournal();
  await begun(journal, "job1", "l1");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/^[0-9a-f]{8} \{"type":"(opened|began)"/u);
});

test("fifty jobs that begin concurrently are all on disk", async () => {
  const journal = await openJournal();
  await Promise.all(Array.from({ length: 50 }, (_, index) => begun(journal, `job${index}`, `l${index}`)));
  expect((await openJournal()).owed()).toHaveLength(50);
});

describe("a crash at any byte", () => {
  test("loses no confirmed line, and no known job runs twice", async () => {
    const journal = await openJournal();
    // For each step: what the journal must know once the file has this length.
    const steps: { bytes: number; leases: string[]; finished: string[]; held: string[] }[] = [];
    const note = async (leases: string[], finished: string[], held: string[]) =>
      steps.push({ bytes: (await stat(path)).size, leases, finished, held });
    const one = await begun(journal, "job1", "l1");
    await note(["l1"], [], ["l1"]);
    const two = await begun(journal, "job2", "l2");
    await note(["l1", "l2"], [], ["l1", "l2"]);
    await journal.finish(one, result({ jobId: "job1", lease: "l1" }, "grüße €"));
    await note(["l1", "l2"], ["l1"], ["l1", "l2"]);
    await journal.acknowledge({ jobId: "job1", lease: "l1" }, "accepted");
    await note(["l1", "l2"], ["l1"], ["l2"]);
    await journal.owe(two, "l3");
    await note(["l1", "l2", "l3"], ["l1"], ["l3"]);
    await journal.finish(two, result({ jobId: "job2", lease: "l3" }));
    await note(["l1", "l2", "l3"], ["l1", "l3"], ["l3"]);

    const whole = await readFile(path);
    const opened = whole.indexOf("\n") + 1;
    const torn = join(directory, "torn.journal");
    for (let length = 0; length <= whole.length; length++) {
      await writeFile(torn, whole.subarray(0, length));
      const after = await openJournal(torn);
      const step = steps.findLast(({ bytes }) => bytes <= length);
      if (length >= opened) expect(after.journalId).toBe(journal.journalId);
      for (const lease of step?.leases ?? []) {
        expect(after.byLease({ jobId: lease === "l1" ? "job1" : "job2", lease })).toBeDefined();
      }
      expect(after.held().map(({ lease }) => lease)).toEqual(step?.held ?? []);
      for (const { lease, status } of await resultsOf(after)) {
        expect({ length, lease, status }).toEqual({
          length,
          lease,
          status: step?.finished.includes(lease) === true ? "succeeded" : "interrupted",
        });
      }
      // A line that is appended now must be readable, not joined to the torn end.
      await begun(after, "job9", "l9");
      await after.close();
      open.pop();
      const reopened = await openJournal(torn);
      expect(reopened.byLease({ jobId: "job9", lease: "l9" })).toBeDefined();
      await reopened.close();
      open.pop();
    }
    expect((await readdir(directory)).toSorted()).toEqual(["torn.journal", "vault.journal"]);
  });

  test("with zeroes at the end after a power cut leaves a readable journal without them", async () => {
    const journal = await openJournal();
    await begun(journal, "job1", "l1");
    await writeFile(path, Buffer.alloc(300), { flag: "a" });
    const after = await openJournal();
    expect(after.journalId).toBe(journal.journalId);
    expect(after.held()).toEqual([{ jobId: "job1", lease: "l1" }]);
    expect(await readFile(path, "latin1")).not.toContain("\0");
  });
});

describe("a damaged journal", () => {
  async function damagedAt(line: number): Promise<{ before: Journal; after: Journal }> {
    const before = await openJournal();
    await begun(before, "job1", "l1");
    await before.finish(await begun(before, "job2", "l2"), result({ jobId: "job2", lease: "l2" }));
    const lines = (await readFile(path, "utf8")).split("\n");
    lines[line] = `${lines[line]?.slice(0, -1)}?`;
    await writeFile(path, lines.join("\n"));
    return { before, after: await openJournal() };
  }

  test("gets a new id, so the service does not deliver a job again that a lost line may have begun", async () => {
    const { before, after } = await damagedAt(1);
    expect(after.journalId).not.toBe(before.journalId);
  });

  test("keeps the readable results, and a copy of the file", async () => {
    const { after } = await damagedAt(1);
    expect((await resultsOf(after)).map(({ jobId, status }) => ({ jobId, status }))).toEqual([
      { jobId: "job2", status: "succeeded" },
    ]);
    const copies = (await readdir(directory)).filter((name) => name.startsWith("vault.journal.damaged-"));
    expect(copies).toHaveLength(1);
  });

  test("is repaired by the next start", async () => {
    const { after } = await damagedAt(0);
    expect((await openJournal()).journalId).toBe(after.journalId);
  });

  test("without a readable line is replaced by a new one and kept as a copy", async () => {
    await writeFile(path, "this is not a journal\nnor is this\n");
    await begun(await openJournal(), "job1", "l1");
    expect((await openJournal()).held()).toEqual([{ jobId: "job1", lease: "l1" }]);
    const copy = (await readdir(directory)).find((name) => name.includes(".damaged-"));
    expect(await readFile(join(directory, copy ?? ""), "utf8")).toContain("this is not a journal");
  });

  test("never yields a wrong result after a flipped bit", async () => {
    const journal = await openJournal();
    await journal.finish(await begun(journal, "job1", "l1"), result({ jobId: "job1", lease: "l1" }));
    const whole = await readFile(path);
    const flipped = join(directory, "flipped.journal");
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      await writeFile(flipped, bytes);
      const after = await openJournal(flipped);
      for (const owed of await resultsOf(after)) {
        expect(["succeeded", "interrupted"]).toContain(owed.status);
        if (owed.status === "succeeded") expect(owed.output).toEqual({ stdout: "done" });
      }
      await after.close();
      open.pop();
    }
  });
});

describe("compaction of the journal", () => {
  const large = "x".repeat(400_000);

  test("drops expired entries and keeps every unacknowledged result", async () => {
    const journal = await openJournal();
    for (let index = 0; index < 6; index++) {
      const ref = { jobId: `job${index}`, lease: `l${index}` };
      await journal.finish(await begun(journal, ref.jobId, ref.lease), result(ref, `${index}${large}`));
      if (index > 0) await journal.acknowledge(ref, "accepted");
    }
    const running = await begun(journal, "job9", "l9");
    const before = (await stat(path)).size;
    now += 25 * HOUR_MS;
    await journal.tidy();
    expect((await stat(path)).size).toBeLessThan(before / 4);
    expect((await resultsOf(journal)).map(({ output }) => String(output?.["stdout"]).slice(0, 3))).toEqual(["0xx"]);
    await journal.finish(running, result({ jobId: "job9", lease: "l9" }));
    const again = await openJournal();
    expect(again.journalId).toBe(journal.journalId);
    expect((await resultsOf(again)).map(({ jobId, status }) => `${jobId} ${status}`)).toEqual([
      "job0 succeeded",
      "job9 succeeded",
    ]);
  });

  test("loses nothing while jobs begin and end", async () => {
    const journal = await openJournal();
    const entries: Entry[] = [];
    for (let index = 0; index < 12; index++) {
      const ref = { jobId: `old${index}`, lease: `o${index}` };
      await journal.finish(await begun(journal, ref.jobId, ref.lease), result(ref, large));
      await journal.acknowledge(ref, "accepted");
      entries.push(await begun(journal, `new${index}`, `n${index}`));
    }
    now += 25 * HOUR_MS;
    await Promise.all([
      journal.tidy(),
      ...entries.map(async (entry, index) => {
        if (index % 2 === 0) await journal.owe(entry, `m${index}`);
        await journal.finish(entry, result({ jobId: entry.jobId, lease: entry.lease }, `text ${index}`));
        await begun(journal, `next${index}`, `x${index}`);
      }),
    ]);
    for (const view of [journal, await openJournal()]) {
      const owed = (await resultsOf(view)).filter(({ jobId }) => jobId.startsWith("new"));
      expect(owed.map(({ lease, output }) => `${lease} ${output?.["stdout"]}`)).toEqual(
        entries.map((_, index) => `${index % 2 === 0 ? "m" : "n"}${index} text ${index}`),
      );
      expect(view.held()).toHaveLength(24);
    }
  });
});
