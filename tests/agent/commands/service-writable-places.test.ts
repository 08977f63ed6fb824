import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closedParents } from "../../../agent/system-service/linux/places.ts";
import { refuseWritable } from "../../../agent/system-service/linux/writable.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-places-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const own = ["/var/lib/bellhop-agent", "/etc/bellhop", "/usr/local/bin/bellhop-agent"];
const refused = (path: string, user = "bellhop-agent") => {
  try {
    refuseWritable([path], { user, own });
    return null;
  } catch (error) {
    return error;
  }
};

describe.skipIf(process.platform === "win32")("--writable", () => {
  test.each([
    ["/tmp", "each job has an empty one instead"],
    ["/var/tmp/reports", "each job has an empty one instead"],
    ["/home/reports", "the units hide it"],
    ["/root", "the units hide it"],
    ["/run/user/1000", "the units hide it"],
    ["/proc/sys", "belongs to the kernel"],
    ["/sys", "belongs to the kernel"],
    ["/dev/shm", "belongs to the kernel"],
    ["/var/lib/bellhop-agent", "belongs to the agent"],
    ["/var/lib/bellhop-agent/reports", "belongs to the agent"],
    ["/etc/bellhop", "belongs to the agent"],
    ["/etc", "jobs could change /etc/bellhop"],
    ["/usr/local/bin", "jobs could change /usr/local/bin/bellhop-agent"],
    ["/", "belongs to the agent"],
    ["/srv/../etc/bellhop", "belongs to the agent"],
  ])("%s is refused: %s", (path, why) => {
    expect(refused(path)).toMatchObject({ message: expect.stringContaining(why) });
    expect(refused(path)).toMatchObject({ message: expect.stringContaining("Choose another directory, such as") });
  });

  test.each([["/srv/reports"], ["/var/lib/reports"], ["/homes"], ["/etc/bellhop-reports"], ["/opt"]])(
    "%s is accepted",
    (path) => {
      expect(refused(path)).toBeNull();
    },
  );

  test.skipIf(process.getuid?.() !== 0)("refuses a link to a hidden directory", async () => {
    const link = join("/srv", `bellhop-link-${crypto.randomUUID()}`);
    await mkdir("/srv", { recursive: true });
    await symlink(directory, link);
    try {
      expect(refused(join(link, "reports"))).toMatchObject({
        message: expect.stringContaining("an empty one instead"),
      });
    } finally {
      await rm(link);
    }
  });

  test("has no effect on jobs of root, and is refused", () => {
    expect(refused("/srv/reports", "root")).toMatchObject({ message: expect.stringContaining("Leave it out") });
  });

  test("finds every closed parent directory, from the top", async () => {
    await chmod(directory, 0o711);
    await mkdir(join(directory, "a/b/c"), { recursive: true });
    await chmod(join(directory, "a"), 0o700);
    await chmod(join(directory, "a/b"), 0o750);
    expect(closedParents(join(directory, "a/b/c"))).toEqual([join(directory, "a"), join(directory, "a/b")]);
    expect(closedParents(join(directory, "a/b/missing/c"), process.getgid?.())).toEqual([join(directory, "a")]);
  });
});
