import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { inheritedEnvironment } from "../shared/environment.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { askSystemctl } from "./systemd.ts";
import { checkWindowsServices } from "./windows-service.ts";

const UNUSABLE_STATES = new Set(["offline", "unknown", ""]);

/** "Service manager", "Rights" and "Restart of the system", in this order. The last two are for information. */
export async function checkServiceManager(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const windows = process.platform === "win32";
  const manager = windows ? await checkWindowsServices(context) : await checkSystemd(context.signal);
  if (!manager.ok) return [manager];
  return [manager, rights(windows ? null : (process.geteuid?.() ?? null)), restartAllowed(context)];
}

export async function checkSystemd(signal: AbortSignal): Promise<ConnectionCheck> {
  const name = "Service manager";
  try {
    const asked = await askSystemctl(["is-system-running"], signal);
    const state = asked.streams.stdout.read().text.trim();
    const version = await askSystemctl(["--version"], signal);
    const title = version.streams.stdout.read().text.split("\n")[0] ?? "systemd";
    if (UNUSABLE_STATES.has(state)) {
      const where = `${title} is installed, but does not run this system (it reports ${state || "nothing"})`;
      return { name, ok: false, detail: `${where}: install the agent on the host itself, not in a container.` };
    }
    const failedUnits =
      state === "degraded"
        ? ": some units have failed (`systemctl --failed` shows them); actions work all the same"
        : "";
    return { name, ok: true, detail: `${title}; the system is ${state}${failedUnits}.` };
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    return { name, ok: false, detail: error.message };
  }
}

/** polkit decides for each unit what a user may do, and cannot be asked without doing it. */
export function rights(userId: number | null): ConnectionCheck {
  const name = "Rights";
  if (userId === 0) return { name, ok: true, detail: "The agent runs as root: it may control every service." };
  const user = inheritedEnvironment()["USERNAME"] ?? inheritedEnvironment()["USER"] ?? "an ordinary user";
  const detail =
    userId === null
      ? `The agent runs as ${user}: it may control what Windows allows this account (LocalSystem: every service).`
      : `The agent runs as ${user} (uid ${userId}), not as root: it may control only what polkit rules allow this user.`;
  return { name, ok: true, detail };
}

function restartAllowed({ settings }: ExecutorContext): ConnectionCheck {
  const detail = settings.allowOsRestart
    ? "os.restartOS may restart this machine (ALLOW_OS_RESTART=true)."
    : "os.restartOS is refused here: ALLOW_OS_RESTART is not true in the agent's environment.";
  return { name: "Restart of the system", ok: true, detail };
}
