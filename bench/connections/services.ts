import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { OneMachine } from "../../tests/support/one-machine.ts";
import { firstUrl } from "../libsql-process.ts";
import { ADMIN_TOKEN } from "../webhook-service.ts";

export interface MeasuredService {
  url: string;
  stop(): Promise<void>;
}

/** The two ways to run the service without Cloudflare. */
export const SERVICES = { "npm start": startNpmStart, "one machine": startOneMachine };

async function startNpmStart(): Promise<MeasuredService> {
  const state = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const child = Bun.spawn([process.execPath, join(ROOT, "scripts/start.ts")], {
    env: {
      ...process.env,
      PORT: "0",
      BELLHOP_STATE: state,
      BELLHOP_LOCAL_AGENT: "off",
      BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN,
      LOG_LEVEL: "ERROR",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    url: await firstUrl(child.stdout),
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
      await rm(state, { recursive: true, force: true });
    },
  };
}

async function startOneMachine(): Promise<MeasuredService> {
  const machine = await OneMachine.install();
  await machine.set("bellhop.env", { BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN, LOG_LEVEL: "ERROR" });
  await machine.start();
  return { url: machine.url, stop: () => machine.dispose() };
}
