import { chmod, chown, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job, JobResult } from "../../schema/contract/agent.ts";
import { buildAgent } from "../../scripts/build-agent.ts";
import { AgentHome } from "../agent/agent-process.ts";
import type { AgentProcess, AgentStart } from "../agent/agent-process.ts";
import { debianPeer } from "./debian-peer.ts";
import { eventually } from "./eventually.ts";
import { FakeService } from "./fake-service.ts";
import { deliveryJob } from "./sealed-credential.ts";

/** Why the test cannot start an agent as another account; null where it can. */
export const accountsMissing: string | null =
  process.platform === "linux" && process.getuid?.() === 0
    ? debianPeer("/usr/bin/setpriv", "util-linux")
    : "only root on Linux can start an agent as another account";

/** An agent that root starts, as root or as another account, with an executable that every account can run. */
export class AccountAgent {
  private constructor(
    readonly service: FakeService,
    readonly home: AgentHome,
    /** Readable by all accounts; holds the executable. */
    readonly directory: string,
    private readonly uid: number,
  ) {}

  static async make(uid = 0): Promise<AccountAgent> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-open-"));
    await chmod(directory, 0o755);
    await copyFile(await buildAgent(), join(directory, "bellhop-agent"));
    const [service, home] = [await FakeService.start(), await AgentHome.make()];
    await chown(home.directory, uid, uid);
    return new AccountAgent(service, home, directory, uid);
  }

  get executable(): string {
    return join(this.directory, "bellhop-agent");
  }

  /** Settles when the agent is registered. `wrap` runs as root. */
  async start({ env = {}, wrap = [], args = [] }: AgentStart = {}): Promise<AgentProcess> {
    const before = this.service.registrations.length;
    const as = [`--reuid=${this.uid}`, `--regid=${this.uid}`, "--clear-groups", "--inh-caps=-all", "--no-new-privs"];
    const agent = await this.home.start(this.service.url, {
      env: { JOB_USER: "", HOME: this.home.directory, ...env },
      wrap: this.uid === 0 ? wrap : [...wrap, "setpriv", ...as, "--"],
      args,
      executable: this.executable,
    });
    const ended = agent.exited.then((code) => {
      throw new Error(`the agent ended with ${code}: ${agent.log()}`);
    });
    await Promise.race([ended, eventually("the registration", () => this.service.registrations.length > before)]);
    ended.catch(() => undefined);
    return agent;
  }

  async run(job: Partial<Job>): Promise<JobResult> {
    return this.resultOf(this.service.enqueue(job).id);
  }

  async resultOf(id: string): Promise<JobResult> {
    return eventually(`the result of ${id}`, () => this.service.resultsOf(id)[0], 45_000);
  }

  /** Puts the secrets of a custom connection into the vault. */
  async deliver(secrets: Record<string, string>): Promise<void> {
    const publicKey = this.service.registrations.at(-1)?.publicKey;
    if (publicKey === undefined) throw new Error("the agent is not registered");
    const to = { agentId: this.service.agentId, publicKey, connectionId: "con_secret", type: "custom" } as const;
    const { status, error } = await this.run(deliveryJob({ ...to, secrets }));
    if (status !== "succeeded") throw new Error(`the secret was not delivered: ${JSON.stringify(error)}`);
  }

  async remove(): Promise<void> {
    await this.home.remove();
    await this.service.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
