import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkFiles } from "../../../agent/doctor/files.ts";
import { checkIsolation } from "../../../agent/doctor/isolation.ts";
import { JOBS_FAIL } from "../../../agent/isolation/choose-programs.ts";

/** The uid of an account for jobs, and that of a person. */
const A_JOB = 61_200;
const A_PERSON = 4_242;
const ownUid = process.getuid?.() ?? 0;
const notRoot = ownUid === 0 ? "" : " (skipped: only root gives files to other accounts)";

describe.skipIf(process.platform === "win32")("doctor's check of the agent's files", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-files-"));
    await mkdir(join(directory, "bin"), { mode: 0o755 });
    await writeFile(join(directory, "bin", "agent"), "", { mode: 0o755 });
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const path = (name: string) => join(directory, name);
  const look = async (
    paths: string[],
    { keyFile = null, jobUser = null }: { keyFile?: string | null; jobUser?: string | null } = {},
  ) => {
    const checks = await checkFiles({ paths, keyFile, agentUid: ownUid, jobUser });
    return checks.map(({ status, found, advice }) => `${status} ${found}. ${advice ?? ""}`).join("\n");
  };

  test("passes when root and the agent alone can write them, also below /tmp", async () => {
    expect(await look([path("bin/agent"), path("missing")])).toStartWith("ok executable, settings, state directory");
  });

  test("fails for a file that everyone can write, and gives the command that closes it", async () => {
    await chmod(path("bin/agent"), 0o777);
    expect(await look([path("bin/agent")])).toBe(
      `fail ${path("bin/agent")} can be changed by every account, including those of jobs (mode 0777). ` +
        `close it: sudo chmod go-w ${path("bin/agent")}`,
    );
  });

  test("fails for a file in a folder that everyone can write, also through a link", async () => {
    await mkdir(path("open"));
    await chmod(path("open"), 0o777);
    await symlink(path("bin/agent"), path("open/link"));
    expect(await look([path("open/link")])).toStartWith(`fail ${path("open")} can be changed by every account`);
    await mkdir(path("closed"), { mode: 0o755 });
    await writeFile(path("open/agent"), "", { mode: 0o755 });
    await symlink(path("open/agent"), path("closed/link"));
    expect(await look([path("closed/link")])).toStartWith(`fail ${path("open")} can be changed by every account`);
  });

  test.skipIf(notRoot !== "")(
    `fails for a folder that jobs can write, and warns when another group can${notRoot}`,
    async () => {
      await chmod(path("bin"), 0o775);
      await chown(path("bin"), ownUid, A_JOB);
      expect(await look([path("bin/agent")])).toStartWith(
        `fail ${path("bin")} can be changed by the group ${A_JOB} (mode 0775); jobs run with this group. close it: sudo chmod g-w`,
      );
      await chown(path("bin"), ownUid, A_PERSON);
      expect(await look([path("bin/agent")])).toStartWith(
        `warn ${path("bin")} can be changed by the group ${A_PERSON}`,
      );
      expect(await look([path("bin/agent")], { jobUser: String(A_PERSON) })).toStartWith("fail");
    },
  );

  test.skipIf(notRoot !== "")(
    `warns about a file of another owner, and fails when that owner is an account for jobs${notRoot}`,
    async () => {
      await chown(path("bin/agent"), A_PERSON, 0);
      expect(await look([path("bin/agent")])).toBe(
        `warn ${path("bin/agent")} can be changed by its owner ${A_PERSON} (mode 0755). ` +
          `give it to root: sudo chown root ${path("bin/agent")}`,
      );
      await chown(path("bin/agent"), A_JOB, 0);
      expect(await look([path("bin/agent")])).toStartWith("fail");
    },
  );

  test("fails for a key file that others can read", async () => {
    const keyFile = path("it's the key");
    await writeFile(keyFile, "", { mode: 0o400 });
    expect(await look([], { keyFile })).toStartWith("ok");
    await chmod(keyFile, 0o404);
    expect(await look([], { keyFile })).toBe(
      `fail ${keyFile} holds the agent's key and can be read by others (mode 0404). ` +
        `close it: sudo chmod 400 '${path("it'\\''s the key")}', and make a new key if another person may have seen this one`,
    );
  });
});

describe("doctor's check of isolation", () => {
  const units = {
    user: "bellhop-agent",
    executable: "/usr/local/bin/bellhop-agent",
    usesSocket: true,
    sockets: [],
    job: { name: "bellhop-job@.service", load: "loaded", active: "inactive", sub: "dead" },
    files: [],
  };
  const checkOf = (
    said: { isolation?: "perJob" | "account" | "none"; isolationReason?: string } | null,
    options: Partial<Parameters<typeof checkIsolation>[0]> = {},
  ) => {
    const status = {
      connected: true,
      enabled: true,
      version: "1.0.0",
      lastError: null,
      lastPollAt: null,
      journal: { writable: true },
      ...said,
    };
    const found = { isRunning: true, status: said === null ? null : status };
    const {
      status: level,
      found: text,
      advice,
    } = checkIsolation({
      found,
      units: null,
      jobUser: null,
      keyFiles: [],
      agentUid: ownUid,
      ...options,
    });
    return `${level} ${text}. ${advice ?? ""}`;
  };

  test("passes with the reason when the agent runs jobs as other accounts", () => {
    expect(checkOf({ isolation: "perJob", isolationReason: "jobs run apart" })).toBe("ok perJob: jobs run apart. ");
    expect(checkOf({ isolation: "account", isolationReason: "uid 900" })).toBe("ok account: uid 900. ");
  });

  test("fails when isolation could not be set up", () => {
    const isolationReason = `${JOBS_FAIL}: connect ENOENT /run/bellhop-job/1.socket`;
    expect(checkOf({ isolation: "perJob", isolationReason }, { units })).toMatch(
      /^fail perJob, but jobs with programs fail .*ENOENT.*\. see the check of the job socket/u,
    );
  });

  test.each([
    ["service without --user root", { units: { ...units, user: "root", usesSocket: false } }, "without --user root"],
    ["units of an earlier version", { units: { ...units, usesSocket: false } }, "write the units that isolate jobs"],
    ["sudo for everything", { units }, "remove that right from the account of jobs"],
    ["JOB_USER=off", { jobUser: "off" }, "unset JOB_USER.*The agent of npm start always runs so"],
    [
      "JOB_USER=off, not as root",
      { jobUser: "off", agentUid: A_PERSON },
      "(?:service install|start the agent as root).*The agent of npm start always runs so",
    ],
  ])("warns of no isolation and says how to change that: %s", (_, options, advice) => {
    expect(checkOf({ isolation: "none", isolationReason: "why" }, options)).toMatch(
      new RegExp(`^warn none: why\\. .*${advice}`, "u"),
    );
  });

  test.skipIf(process.platform === "win32")("warns with the names of key files that jobs can read", async () => {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-key-"));
    const keyFile = join(directory, "key");
    await writeFile(keyFile, "", { mode: 0o400 });
    const said = { isolation: "none", isolationReason: "why" } as const;
    expect(checkOf(said, { keyFiles: [keyFile, "/missing"] })).toStartWith(
      `warn none: why, including the key in ${keyFile}. `,
    );
    expect(checkOf(said, { keyFiles: [keyFile], agentUid: A_PERSON })).toStartWith("warn none: why. ");
    await rm(directory, { recursive: true });
  });

  test("warns about an agent of an earlier version, and is skipped when no agent answers", () => {
    expect(checkOf({})).toStartWith("warn none: the running agent is of an earlier version");
    expect(checkOf(null)).toStartWith("skip not known: the running agent did not report it");
    expect(checkOf({}, { found: { isRunning: false, status: null } })).toStartWith("skip not known: no agent runs");
  });
});
