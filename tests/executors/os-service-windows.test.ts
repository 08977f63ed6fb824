import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { restartOs } from "../../agent/executors/os-service/restart-os.ts";
import { checkWindowsServices, controlWindowsService } from "../../agent/executors/os-service/windows-service.ts";
import { WINDOWS_SERVICE_SCRIPT } from "../../agent/executors/os-service/windows-script.ts";
import { action } from "../../agent/executors/shared/failures.ts";
import { eventually } from "../support/eventually.ts";
import { contextOf, failureOf, outputOf, temporaryState } from "../support/executor-context.ts";
import { PowerShellStandIn } from "../support/powershell.ts";

const path = process.env["PATH"];
let powershell: PowerShellStandIn;
let state: Awaited<ReturnType<typeof temporaryState>>;

beforeAll(async () => {
  state = await temporaryState();
  powershell = await PowerShellStandIn.start([
    { name: "Spooler", displayName: "Print Spooler", status: "Running" },
    { name: "LanmanServer", displayName: "Server", status: "Running", dependents: ["Browser"] },
    { name: "Browser", displayName: "Computer Browser", status: "Running" },
    { name: "Locked", displayName: "Locked one", status: "Stopped", disabled: true },
    { name: "Guarded", displayName: "Guarded one", status: "Running", fault: "denied" },
    { name: "Crashing", displayName: "Crashing one", status: "Stopped", fault: "crashes" },
    { name: "Hanging", displayName: "Hanging one", status: "Running", fault: "hangs" },
  ]);
  process.env["PATH"] = powershell.directory;
});
afterAll(async () => {
  process.env["PATH"] = path;
  await powershell.stop();
  await state.remove();
});

test("a Windows service is stopped and started by its name or display name, in any case", async () => {
  expect(outputOf(await run("stop", "spooler"))).toMatchObject({
    exitCode: 0,
    service: "Spooler",
    activeState: "inactive",
    subState: "Stopped",
  });
  expect(outputOf(await run("start", "Print Spooler"))).toMatchObject({ service: "Spooler", activeState: "active" });
  expect(await powershell.status("Spooler")).toBe("Running");
});

test("a restart of a Windows service names the dependent services that were restarted, too", async () => {
  expect(outputOf(await run("restart", "LanmanServer"))).toMatchObject({
    activeState: "active",
    dependents: ["Browser"],
  });
  expect(outputOf(await run("restart", "Spooler"))).not.toHaveProperty("dependents");
});

test.each([
  ["start", "Nowhere", "service_not_found"],
  ["start", "Locked", "service_disabled"],
  ["restart", "Guarded", "permission_denied"],
  ["start", "Crashing", "service_failed"],
] as const)("%s of the Windows service %s is %s", async (verb, service, code) => {
  expect(failureOf(await run(verb, service)).code).toBe(code);
});

test.each(["$(Restart-Computer)", "'; Restart-Computer #", "*", "-Confirm:$false", "%PATH%", "`r"])(
  "%j is used as a service's name only",
  async (service) => {
    expect(failureOf(await run("stop", service)).code).toBe("service_not_found");
  },
);

test.each(["two\nlines", "..\\other", "a/b", "nul\0", "x".repeat(257)])(
  "%j is refused as a service's name",
  async (service) => {
    expect(failureOf(await run("stop", service)).code).toBe("invalid_params");
  },
);

test("a cancelled job ends PowerShell and says that Windows continues", async () => {
  const controller = new AbortController();
  const outcome = run("stop", "Hanging", controller.signal);
  await eventually("PowerShell hangs", () => Bun.file(powershell.hanging).exists());
  controller.abort();
  expect(failureOf(await outcome)).toMatchObject({
    code: "job_ended",
    message: expect.stringContaining("Windows continues"),
  });
});

test("an unreadable answer of PowerShell is a failure with its message", async () => {
  const broken = join(state.path, "broken");
  await Bun.write(join(broken, "pwsh"), "#!/bin/sh\necho 'running scripts is disabled' >&2\nexit 1\n");
  await Bun.spawn(["/bin/chmod", "755", join(broken, "pwsh")]).exited;
  process.env["PATH"] = broken;
  try {
    const failure = failureOf(await run("stop", "Spooler"));
    expect(failure.code).toBe("service_failed");
    expect(failure.message).toContain("running scripts is disabled");
  } finally {
    process.env["PATH"] = powershell.directory;
    await rm(broken, { recursive: true });
  }
});

test("without PowerShell, the connection test and the actions say what to install", async () => {
  process.env["PATH"] = "/nowhere";
  try {
    expect(failureOf(await run("stop", "Spooler")).code).toBe("interpreter_missing");
    expect(await checkWindowsServices(context())).toMatchObject({ ok: false });
  } finally {
    process.env["PATH"] = powershell.directory;
  }
  expect(await checkWindowsServices(context())).toEqual({
    name: "Service manager",
    ok: true,
    detail: "PowerShell 7.4.0 sees 7 services.",
  });
});

test("the PowerShell script uses no value as code, pattern or filter", () => {
  expect(WINDOWS_SERVICE_SCRIPT).not.toMatch(/Invoke-Expression|iex\b|-Filter|-Query|-like|-match|Get-Service -/iu);
  expect(WINDOWS_SERVICE_SCRIPT.split("$env:BELLHOP_SERVICE")).toHaveLength(2);
});

test("a restart of Windows is scheduled by shutdown.exe, once", async () => {
  const directory = join(state.path, "windows");
  const calls = join(directory, "calls");
  const text = `#!/bin/sh\necho "$@" >> ${calls}\n[ "$(/usr/bin/wc -l < ${calls})" = 1 ] || { echo "A system shutdown has already been scheduled.(1190)" >&2; exit 166; }\n`;
  await Bun.write(join(directory, "shutdown"), text);
  await Bun.spawn(["/bin/chmod", "755", join(directory, "shutdown")]).exited;
  process.env["PATH"] = directory;
  try {
    const restart = action((given) => restartOs(90, given, "win32"));
    const allowed = contextOf("osService", { allowOsRestart: true }, state.path);
    expect(outputOf(await restart(allowed))).toMatchObject({ exitCode: 0, delaySeconds: 90 });
    expect(failureOf(await restart(allowed)).code).toBe("restart_already_scheduled");
    expect(failureOf(await restart(context())).code).toBe("os_restart_not_allowed");
    const given = await Bun.file(calls).text();
    expect(given.split("\n")[0]).toBe("/r /t 90 /d p:4:1 /c Restart asked for by Bellhop");
    expect(given.trim().split("\n")).toHaveLength(2);
  } finally {
    process.env["PATH"] = powershell.directory;
  }
});

test.each([
  ["exit 0", "was cancelled, even if another program had scheduled it"],
  [
    "echo 'Unable to abort the system shutdown because no shutdown was in progress.(1116)' >&2; exit 92",
    "No restart is",
  ],
  ["echo 'Access is denied.(5)' >&2; exit 5", "may still happen. To cancel it, run `shutdown /a`"],
])("a cancelled restart of Windows reports its state: /a does %s", async (does, part) => {
  const { failure, calls } = await cancelledRestart(does, "");
  expect(failure).toMatchObject({ code: "job_ended", message: expect.stringContaining(part) });
  expect(calls).toHaveLength(2);
});

test("a cancelled restart of Windows leaves an earlier restart scheduled", async () => {
  const { failure, calls } = await cancelledRestart("exit 0", "A system shutdown has already been scheduled.(1190)");
  expect(failure).toEqual({ code: "job_ended", message: "It scheduled no restart." });
  expect(calls).toHaveLength(1);
});

/** Cancels a restart whose shutdown.exe prints `said` and hangs; `takesBack` is what it does for /a. */
async function cancelledRestart(takesBack: string, said: string) {
  const directory = await mkdtemp(join(state.path, "shutdown-"));
  const calls = join(directory, "calls");
  const text = `#!/bin/sh
[ "$1" = /a ] || echo "${said}" >&2
echo "$@" >> ${calls}
if [ "$1" = /a ]; then ${takesBack}; fi
exec /bin/sleep 1000
`;
  await writeFile(join(directory, "shutdown"), text, { mode: 0o755 });
  process.env["PATH"] = directory;
  const job = new AbortController();
  try {
    const restart = action((given) => restartOs(90, given, "win32"));
    const outcome = restart(contextOf("osService", { allowOsRestart: true, signal: job.signal }, state.path));
    // The shell makes the file before it writes the line.
    await eventually("shutdown.exe runs", async () => (await Bun.file(calls).text()).endsWith("\n"));
    job.abort();
    const failure = failureOf(await outcome);
    return { failure, calls: (await Bun.file(calls).text()).trim().split("\n") };
  } finally {
    process.env["PATH"] = powershell.directory;
  }
}

function run(verb: "start" | "stop" | "restart", service: string, signal?: AbortSignal) {
  return action((given) => controlWindowsService(verb, service, given))(context(signal));
}

function context(signal?: AbortSignal) {
  return contextOf("osService", signal === undefined ? {} : { signal }, state.path);
}
