import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface FakeService {
  name: string;
  displayName: string;
  status: "Running" | "Stopped";
  disabled?: boolean;
  dependents?: string[];
  /** The fault: the right is missing, the program crashes, or the call never returns. */
  fault?: "denied" | "crashes" | "hangs";
}

/**
 * A stand-in for PowerShell and Windows' service manager, which are not available here. It refuses any argument,
 * variable and script other than the executor's own, and gives the answers that the executor's script would give.
 */
export class PowerShellStandIn {
  private constructor(
    /** Must be on PATH. */
    readonly directory: string,
  ) {}

  static async start(services: readonly FakeService[]): Promise<PowerShellStandIn> {
    const standIn = new PowerShellStandIn(await mkdtemp(join(tmpdir(), "bellhop-powershell-")));
    await writeFile(standIn.#state, JSON.stringify(services));
    await writeFile(join(standIn.directory, "pwsh"), program(standIn.#state), { mode: 0o755 });
    return standIn;
  }

  get #state(): string {
    return join(this.directory, "services.json");
  }

  /** This file exists while a call hangs. */
  get hanging(): string {
    return `${this.#state}.hanging`;
  }

  async status(name: string): Promise<string | undefined> {
    const services: FakeService[] = await Bun.file(this.#state).json();
    return services.find((service) => service.name === name)?.status;
  }

  async stop(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

function program(state: string): string {
  return `#!${process.execPath}
import { readFileSync, statSync, writeFileSync } from "node:fs";
const [, , ...args] = process.argv;
const env = process.env;
const refuse = (why) => { console.error("stand-in: " + why); process.exit(64); };
if (args.length !== 5 || args.slice(0, 4).join(" ") !== "-NoLogo -NoProfile -NonInteractive -File") refuse("arguments " + args);
if ((statSync(args[4]).mode & 0o77) !== 0) refuse("others may read the script");
const script = readFileSync(args[4], "utf8");
if (!script.startsWith("\\uFEFF")) refuse("no byte order mark: Windows PowerShell would read the local code page");
for (const needed of ["$env:BELLHOP_VERB", "$env:BELLHOP_SERVICE", "$env:BELLHOP_OWN_PROCESSES"]) {
  if (!script.includes(needed)) refuse("the script does not read " + needed);
}
for (const name of Object.keys(env)) {
  if (name.startsWith("AGENT_") || name.startsWith("ADMIN_")) refuse("the agent's own variable " + name);
}
const verb = env.BELLHOP_VERB;
const name = env.BELLHOP_SERVICE;
if (!["start", "stop", "restart", "list"].includes(verb)) refuse("verb " + verb);
if (!/^\\d+,\\d+$/.test(env.BELLHOP_OWN_PROCESSES ?? "")) refuse("no process numbers");
if (name !== "" && script.includes(name)) refuse("the name of the service is in the script");
const services = JSON.parse(readFileSync(${JSON.stringify(state)}, "utf8"));
const answer = (code, message, service, stopped = []) => {
  writeFileSync(${JSON.stringify(state)}, JSON.stringify(services));
  console.log("a line that a cmdlet wrote");
  console.log(JSON.stringify({ code, message, service: service?.name ?? name, status: service?.status ?? "", stopped }));
  process.exit(code === "ok" ? 0 : 1);
};
if (verb === "list") answer("ok", "PowerShell 7.4.0 sees " + services.length + " services.");
const same = (a, b) => a.toLowerCase() === b.toLowerCase();
const service = services.find((s) => same(s.name, name)) ?? services.find((s) => same(s.displayName, name));
if (service === undefined) answer("service_not_found", "The agent's host has no service " + name + ".");
if (verb !== "stop" && service.disabled) answer("service_disabled", service.name + " is disabled.", service);
if (service.fault === "denied") answer("permission_denied", "Could not " + verb + ": Access is denied", service);
if (service.fault === "hangs") {
  writeFileSync(${JSON.stringify(`${state}.hanging`)}, "");
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}
const stopped = [];
for (const dependent of verb === "start" ? [] : service.dependents ?? []) {
  const other = services.find((s) => s.name === dependent);
  if (other.status === "Running") stopped.push(other.name);
  if (verb === "stop") other.status = "Stopped";
}
service.status = verb === "stop" || service.fault === "crashes" ? "Stopped" : "Running";
if (service.fault === "crashes") answer("service_failed", service.name + " ended right after it was started.", service);
answer("ok", service.name + " is " + service.status + ".", service, stopped);
`;
}
