import { appendFile, copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { registerRequestSchema } from "../../schema/contract/agent.ts";
import type { Job, RegisterRequest } from "../../schema/contract/agent.ts";
import { buildAgent } from "../../scripts/build-agent.ts";
import { eventually } from "./eventually.ts";
import { FAKE_AGENT_KEY } from "./fake-service.ts";
import { Systemd } from "./systemd/index.ts";

/**
 * The machine has its own copies of the paths that the agent's installer writes to; the host's files are below them,
 * unchanged. PrivateDevices= needs /dev/ptmx.
 */
const OWN_FILES = `set -e
mkdir -p /run/etc/upper /run/etc/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work /etc
mkdir -p /etc/systemd/system
mount --bind /run/units /etc/systemd/system
for own in /var/lib /var/tmp /usr/local/bin; do mount -t tmpfs -o mode=755 tmpfs $own; done
ln -s pts/ptmx /dev/ptmx
ip link set lo up`;

const addressSchema = z.object({ url: z.string(), port: z.number(), releaseKey: z.string() });
const resultSchema = z.looseObject({
  jobId: z.string(),
  status: z.string(),
  output: z.record(z.string(), z.unknown()).nullable(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
});

/** A machine with a real systemd and a deployment on its network; the agent can be installed on it. */
export class ServiceMachine {
  private constructor(
    readonly systemd: Systemd,
    readonly directory: string,
    readonly service: z.infer<typeof addressSchema>,
  ) {}

  static async start(): Promise<ServiceMachine> {
    const systemd = await Systemd.start();
    const directory = await mkdtemp(join(tmpdir(), "bellhop-service-"));
    try {
      const prepared = await systemd.run(["/bin/sh", "-c", OWN_FILES]);
      if (prepared.exitCode !== 0) throw new Error(prepared.stderr);
      await systemd.install({
        "multi-user.target": "[Unit]\n",
        "network-online.target": "[Unit]\n",
        "allowed.service": "[Service]\nExecStart=/bin/sleep 1000\n",
        "other.service": "[Service]\nExecStart=/bin/sleep 1000\n",
        "deployment.service": `[Service]\nExecStart=${process.execPath} ${join(import.meta.dir, "service-process.ts")} ${directory}\n`,
      });
      await systemd.systemctl("start", "deployment");
      const service = await eventually("the deployment", async () =>
        addressSchema.parse(JSON.parse(await readFile(join(directory, "address.json"), "utf8"))),
      );
      await copyFile(await buildAgent(), join(directory, "bellhop-agent"));
      return new ServiceMachine(systemd, directory, service);
    } catch (error) {
      await systemd.stop();
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Runs an agent's executable on the machine as root: the copied one or the installed one. */
  async agent(
    args: string[],
    { env = {}, installed = false }: { env?: Record<string, string>; installed?: boolean } = {},
  ) {
    const path = installed ? "/usr/local/bin/bellhop-agent" : join(this.directory, "bellhop-agent");
    return this.systemd.run([path, ...args], { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...env });
  }

  install(args: string[] = [], env: Record<string, string> = {}) {
    const AGENT_API_URL = this.service.url;
    const fast = { POLL_INTERVAL: "0.1", HEARTBEAT_INTERVAL: "1" };
    return this.agent(["service", "install", ...args], {
      env: { AGENT_API_URL, AGENT_API_KEY: FAKE_AGENT_KEY, ...fast, ...env },
    });
  }

  /** Runs a job on the agent and returns the agent's report. */
  async run(job: Partial<Job> & { id: string }): Promise<z.infer<typeof resultSchema>> {
    await this.begin(job);
    return this.resultOf(job.id);
  }

  /** Puts a job into the deployment's queue. */
  async begin(job: Partial<Job> & { id: string }): Promise<void> {
    await appendFile(join(this.directory, "jobs.jsonl"), `${JSON.stringify(job)}\n`);
  }

  async cancel(jobId: string): Promise<void> {
    await appendFile(join(this.directory, "cancels.jsonl"), `${JSON.stringify(jobId)}\n`);
  }

  async resultOf(jobId: string): Promise<z.infer<typeof resultSchema>> {
    return eventually(
      `the result of ${jobId}`,
      async () =>
        (await this.#lines("results")).map((line) => resultSchema.parse(line)).find((it) => it.jobId === jobId),
      45_000,
    );
  }

  /** The agent's last registration. */
  async registration(): Promise<RegisterRequest> {
    return eventually("a registration", async () => {
      const last = (await this.#lines("registrations")).at(-1);
      return last === undefined ? null : registerRequestSchema.parse(last);
    });
  }

  async publish(version: string, executable: string): Promise<void> {
    await appendFile(join(this.directory, "releases.jsonl"), `${JSON.stringify({ version, executable })}\n`);
    await eventually("the release", async () => {
      const { stdout } = await this.agent(["update", "--check", "--version", version], { env: this.updateEnv() });
      return stdout.includes(version);
    });
  }

  updateEnv(): Record<string, string> {
    return { AGENT_API_URL: this.service.url, AGENT_RELEASE_KEY: this.service.releaseKey };
  }

  async show(property: string, unit = "bellhop-agent"): Promise<string> {
    return this.systemd.systemctl("show", unit, `--property=${property}`, "--value");
  }

  text(path: string): Promise<string> {
    return readFile(this.systemd.path(path), "utf8");
  }

  async #lines(name: "results" | "registrations"): Promise<unknown[]> {
    const text = await readFile(join(this.directory, `${name}.jsonl`), "utf8").catch(() => "");
    const lines = text.split("\n").slice(0, -1);
    return lines.map((line): unknown => JSON.parse(line));
  }

  async stop(): Promise<void> {
    // systemd's directories for the service in the host's /tmp are removed when the service ends.
    await this.systemd.systemctl("stop", "bellhop-agent");
    await this.systemd.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
