import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeJobAccount } from "../../../agent/isolation/job-accounts.ts";
import { jobUidsInUse, ownJobUids } from "../../../agent/isolation/job-uids.ts";
import { accountsMissing } from "../../support/account-agent.ts";
import { eventually } from "../../support/eventually.ts";

describe.skipIf(accountsMissing !== null)(`the account of one job ${accountsMissing ?? ""}`, () => {
  let locks: string;
  beforeEach(async () => {
    locks = await mkdtemp(join(tmpdir(), "bellhop-locks-"));
    await chmod(locks, 0o755);
  });
  afterEach(() => rm(locks, { recursive: true, force: true }));
  const take = () => takeJobAccount({ locks, random: () => 0.5 });
  const as = (uid: number, ...command: string[]) => ["setpriv", `--reuid=${uid}`, "--clear-groups", "--", ...command];

  test("belongs to no other job until it is released, not even of another agent", async () => {
    const first = await take();
    const second = await take();
    expect(second.uid).not.toBe(first.uid);
    // Each lock has a separate descriptor, so it excludes another process as it excludes this one.
    const other = Bun.spawnSync(["flock", "--nonblock", join(locks, String(first.uid)), "true"]);
    expect(other.exitCode).toBe(1);
    await first.release();
    const third = await take();
    expect(third.uid).toBe(first.uid);
    await Promise.all([second, third].map(({ release }) => release()));
  });

  test("cannot be locked by another account", async () => {
    const { uid, release } = await take();
    expect((await stat(locks)).mode & 0o777).toBe(0o700);
    expect(Bun.spawnSync(as(uid, "flock", "--nonblock", join(locks, String(uid + 1)), "true")).exitCode).not.toBe(0);
    await release();
  });

  test("is released only after the job's leftover processes and files are gone", async () => {
    const { uid, release } = await take();
    const path = join(tmpdir(), crypto.randomUUID());
    const left = Bun.spawn(as(uid, "sh", "-c", `mkdir ${path} && exec sleep 33.${process.pid}`));
    await eventually("the process and its directory", async () => jobUidsInUse().has(uid) && (await stat(path)));
    await release();
    expect(await left.exited).toBe(137);
    expect(await stat(path).catch(() => null)).toBeNull();
    const again = await take();
    expect(again.uid).toBe(uid);
    await again.release();
  });

  test("needs a lock directory: the error says where root must be able to write", async () => {
    const error = await takeJobAccount({ locks: "/proc/bellhop-locks" }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "job_process", message: expect.stringContaining("let root write to /run") });
  });
});

test("the list of job uids has each uid once, from any starting point", () => {
  expect(ownJobUids(() => 0).slice(0, 2)).toEqual([60_706, 60_707]);
  const last = ownJobUids(() => 0.999);
  expect(last.slice(0, 2)).toEqual([61_183, 60_706]);
  expect(new Set(last).size).toBe(478);
});
