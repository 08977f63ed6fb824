import { mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why there can be no small disk here; null where there can. */
export const smallDiskMissing: string | null =
  process.platform === "linux" && process.getuid?.() === 0 && mountWorks()
    ? null
    : "a small disk can be mounted on Linux by root alone";

/** A temporary file system (tmpfs) that a test can fill up. */
export class SmallDisk {
  readonly directory: string;
  #filled = 0;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** `files`: how many files it can have; unlimited when unset. */
  static async mount({ kib, files }: { kib: number; files?: number }): Promise<SmallDisk> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-disk-"));
    const limits = `size=${kib}k,mode=0700${files === undefined ? "" : `,nr_inodes=${files}`}`;
    run("mount", "-t", "tmpfs", "-o", limits, "bellhop-test", directory);
    return new SmallDisk(directory);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Fills it to the last byte. */
  async fill(): Promise<void> {
    const file = await open(this.path("filler"), "a");
    this.#filled++;
    try {
      for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
        const bytes = Buffer.alloc(size, this.#filled);
        while (await took(file, bytes));
      }
    } finally {
      await file.close();
    }
  }

  /** Fills it to the last file. */
  async fillWithFiles(): Promise<void> {
    for (let count = 0; ; count++) {
      const file = await open(this.path(`filler-${count}`), "wx").catch(() => null);
      if (file === null) return;
      await file.close();
    }
  }

  async free(): Promise<void> {
    await rm(this.path("filler"), { force: true });
  }

  async remove(): Promise<void> {
    // The kernel may still hold open files of an agent that was killed a moment ago.
    run("umount", "-l", this.directory);
    await rmdir(this.directory);
  }
}

async function took(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<boolean> {
  try {
    return (await file.write(bytes)).bytesWritten === bytes.length;
  } catch {
    return false;
  }
}

function mountWorks(): boolean {
  // In a container even root may not be allowed to mount.
  return Bun.spawnSync(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
