import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { freePort } from "../support/free-port.ts";

describe("bellhopctl free", () => {
  test("reports a taken address in one line, for every spelling of the address", async () => {
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    for (const host of ["127.0.0.1", "localhost", "0.0.0.0", "*", "[::ffff:127.0.0.1]"]) {
      const address = `${host}:${other.port}`;
      expect(await free(address)).toEqual({
        exitCode: 69,
        output: `bellhopctl: ${address} is taken by another program. Stop that program (ss -ltnp names it), or set another LISTEN in /etc/bellhop/bellhop.env.\n`,
      });
    }
    await other.stop(true);
  });

  test("prints nothing for a free address, and leaves other problems of an address to workerd", async () => {
    for (const address of [`127.0.0.1:${await freePort()}`, "203.0.113.9:9000", "unix:/run/bellhop.sock", "8787"]) {
      expect(await free(address)).toEqual({ exitCode: 0, output: "" });
    }
    expect((await free("")).exitCode).toBe(64);
  });

  test("is called by the unit before it starts the Worker", async () => {
    const unit = await readFile(join(ROOT, "scripts/service/units/bellhop.service"), "utf8");
    const command = unit.indexOf("ExecStartPre=/opt/bellhop/current/bin/bellhopctl free ${LISTEN}\n");
    expect(command).toBeGreaterThan(0);
    expect(unit.indexOf("\nExecStart=")).toBeGreaterThan(command);
  });
});

async function free(address: string): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn([process.execPath, join(ROOT, "scripts/service/main.ts"), "free", address], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, output: `${out}${err}` };
}
