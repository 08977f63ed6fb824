import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildService } from "../../scripts/build-service.ts";
import { freePort } from "./free-port.ts";
import type { Bellhop } from "./bellhop.ts";

/** A settings file for systemd, as install.sh writes it. */
type Settings = Record<string, string>;
type Unit = `bellhop${"" | "-libsql" | "-exports" | "-backup"}.service`;

/**
 * A one-machine deployment, built and installed below a temporary directory. There is no systemd: the command lines of
 * its units run by hand, with the directory before their paths. `tests/deployment/systemd.test.ts` uses the real
 * systemd.
 */
export class OneMachine implements Pick<Bellhop, "url" | "api" | "adminToken"> {
  readonly state: string;
  readonly backups: string;
  readonly #running = new Map<Unit, Bun.Subprocess>();

  private constructor(
    /** Takes the place of `/`. */
    readonly root: string,
    readonly url: string,
    readonly adminToken: string,
  ) {
    this.state = join(root, "var/lib/bellhop");
    this.backups = join(root, "var/backups/bellhop");
  }

  /** `environment` is that of the installer: DATABASE, DATABASE_URL, DATABASE_AUTH_TOKEN. */
  static async install(environment: Settings = {}): Promise<OneMachine> {
    const root = await mkdtemp(join(tmpdir(), "bellhop-machine-"));
    const built = await buildService({ outdir: join(root, "service") });
    await run(["sh", join(built, "install.sh")], { ...environment, DESTDIR: root });
    await rm(built, { recursive: true });
    const listen = await freePort();
    await change(join(root, "etc/bellhop/bellhop.env"), { LISTEN: `127.0.0.1:${listen}` });
    await moveToFreePort(join(root, "etc/bellhop/database.env"));
    const { BOOTSTRAP_ADMIN_TOKEN = "" } = await settingsIn(join(root, "etc/bellhop/bellhop.env"));
    return new OneMachine(root, `http://127.0.0.1:${listen}`, BOOTSTRAP_ADMIN_TOKEN);
  }

  api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.adminToken}`, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Starts both services, as systemd orders them. */
  async start(): Promise<void> {
    await this.startUnit("bellhop-libsql.service");
    await this.startUnit("bellhop.service");
  }

  /** Runs the commands that a unit has before, as and after its process. */
  async startUnit(unit: Unit): Promise<void> {
    const { lines, environment } = await this.#read(unit);
    const of = (name: string) => lines.filter((line) => line.name === name).map(({ command }) => command);
    for (const command of of("ExecStartPre")) await run(command, environment);
    const [command = []] = of("ExecStart");
    const log = Bun.file(this.#logOf(unit));
    const child = Bun.spawn(command, { cwd: this.state, env: environment, stdin: "ignore", stdout: log, stderr: log });
    this.#running.set(unit, child);
    const died = child.exited.then(async () => {
      throw new Error(`${unit} ended: ${await this.log(unit)}`);
    });
    for (const after of of("ExecStartPost")) await Promise.race([run(after, environment), died]);
    died.catch(() => {});
  }

  /** Ends a unit's process and waits for its end. */
  async end(unit: Unit, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#running.get(unit);
    this.#running.delete(unit);
    child?.kill(signal);
    await child?.exited;
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await this.end("bellhop.service", signal);
    await this.end("bellhop-libsql.service", signal);
    await this.end("bellhop-exports.service", signal);
  }

  pid(unit: Unit): number {
    return this.#running.get(unit)?.pid ?? 0;
  }

  /** The output of a unit's process since its start. */
  log(unit: Unit): Promise<string> {
    return readFile(this.#logOf(unit), "utf8");
  }

  /** Runs the backup's unit and returns the newest backup. */
  async backUp(): Promise<string> {
    const { lines, environment } = await this.#read("bellhop-backup.service");
    for (const { name, command } of lines) if (name === "ExecStart") await run(command, environment);
    const names = (await readdir(this.backups)).filter((name) => /^\d{4}-/u.test(name));
    return join(this.backups, names.sort().at(-1) ?? "");
  }

  /** What bellhop.service does to the database before it starts the Worker; the Worker may run meanwhile. */
  async migrate(): Promise<void> {
    const { lines, environment } = await this.#read("bellhop.service");
    const migrates = lines.filter(({ name, command }) => name === "ExecStartPre" && command.includes("migrate"));
    if (migrates.length === 0) throw new Error("bellhop.service migrates nothing");
    for (const { command } of migrates) await run(command, environment);
  }

  /** Runs `bellhopctl` with these arguments; accepts any exit code. */
  bellhopctl(...args: string[]): Promise<{ exitCode: number; output: string }> {
    return this.bellhopctlIn({}, ...args);
  }

  bellhopctlIn(environment: Settings, ...args: string[]): Promise<{ exitCode: number; output: string }> {
    return finish([join(this.root, "opt/bellhop/current/bin/bellhopctl"), ...args], environment);
  }

  /** Replaces database.env, as the documentation describes it. */
  async useDatabase(environment: Settings): Promise<void> {
    const { exitCode, output } = await this.bellhopctlIn(environment, "database-settings");
    if (exitCode !== 0) throw new Error(output);
    const file = join(this.root, "etc/bellhop/database.env");
    await writeFile(file, output);
    await moveToFreePort(file);
  }

  restore(from: string, inFlight: "end" | "continue", ...options: string[]) {
    return this.bellhopctl("restore", "--from", from, "--state", this.state, "--in-flight", inFlight, ...options);
  }

  /** The settings in one of the two files in /etc/bellhop. */
  settings(file: "bellhop.env" | "database.env"): Promise<Settings> {
    return settingsIn(join(this.root, "etc/bellhop", file));
  }

  /** Adds settings to one of the files, for the next start. */
  set(file: "bellhop.env" | "database.env", settings: Settings): Promise<void> {
    return change(join(this.root, "etc/bellhop", file), settings);
  }

  /** Makes another version from the installed one and makes it current. */
  async useVersion(version: string, alter: (release: string) => Promise<void>): Promise<void> {
    const releases = join(this.root, "opt/bellhop/releases");
    const release = join(releases, version);
    await cp(join(this.root, "opt/bellhop/current/."), release, { recursive: true, dereference: true });
    await alter(release);
    await this.switchTo(version);
  }

  /** Points `current` at another version, as the documentation describes a rollback. */
  async switchTo(version: string): Promise<void> {
    const next = join(this.root, "opt/bellhop/current.new");
    await symlink(`releases/${version}`, next);
    await rename(next, join(this.root, "opt/bellhop/current"));
  }

  async dispose(): Promise<void> {
    await this.stop("SIGKILL");
    await rm(this.root, { recursive: true, force: true });
  }

  #logOf(unit: Unit): string {
    return join(this.root, `${unit}.log`);
  }

  async #read(unit: Unit): Promise<{ lines: { name: string; command: string[] }[]; environment: Settings }> {
    const text = await readFile(join(this.root, "etc/systemd/system", unit), "utf8");
    const here = text.replaceAll(
      /(?<![\w.])\/(opt|etc|var)\/(lib\/|backups\/)?bellhop/gu,
      (path) => `${this.root}${path}`,
    );
    const entries = here.split("\n").flatMap((line) => {
      const [, name = "", value = ""] = /^(\w+)=-?(.*)$/u.exec(line) ?? [];
      return name === "" ? [] : [{ name, value }];
    });
    const environment: Settings = {};
    for (const { name, value } of entries) {
      if (name === "Environment") Object.assign(environment, settingsOf(value.replaceAll(" ", "\n")));
      if (name === "StateDirectory") {
        for (const directory of value.split(" ")) {
          await mkdir(join(this.root, "var/lib", directory), { recursive: true, mode: 0o700 });
        }
      }
      if (name === "EnvironmentFile") Object.assign(environment, await settingsIn(value));
    }
    const lines = entries
      .filter(({ name }) => name.startsWith("Exec"))
      .map(({ name, value }) => ({
        name,
        command: value.replaceAll(/\$\{(\w+)\}/gu, (_, variable: string) => environment[variable] ?? "").split(" "),
      }));
    return { lines, environment };
  }
}

/** The database that the deployment runs itself. One elsewhere has its own address. */
async function moveToFreePort(file: string): Promise<void> {
  if (!("DATABASE_PORT" in (await settingsIn(file)))) return;
  const port = await freePort();
  await change(file, { DATABASE_PORT: String(port), DATABASE_URL: `http://127.0.0.1:${port}` });
}

async function settingsIn(file: string): Promise<Settings> {
  return settingsOf(await readFile(file, "utf8").catch(() => ""));
}

function settingsOf(text: string): Settings {
  const lines = text.split("\n").filter((line) => /^\w+=/u.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

async function change(file: string, settings: Settings): Promise<void> {
  const all = { ...(await settingsIn(file)), ...settings };
  await writeFile(
    file,
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
}

async function run(command: string[], environment: Settings): Promise<void> {
  const { exitCode, output } = await finish(command, environment);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${output}`);
}

async function finish(command: string[], environment: Settings): Promise<{ exitCode: number; output: string }> {
  const env = { PATH: process.env["PATH"] ?? "", ...environment };
  const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output: `${out}${err}`.trim() };
}
