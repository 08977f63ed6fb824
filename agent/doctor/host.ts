import { release } from "node:os";
import { capabilities, needsProgram } from "../executors/index.ts";
import { checkSystemd, rights } from "../executors/os-service/checks.ts";
import { checkInterpreter } from "../executors/script/check-interpreter.ts";
import { programsHere } from "../programs/here.ts";
import { libcOf } from "../libc.ts";
import { closedParents, followed, whyHidden } from "../system-service/linux/places.ts";
import { AGENT_VERSION } from "../version.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

const FOR_ALL = "install it for all users, below /usr or /opt, so that the PATH of jobs finds it first";
const CHECK_TIMEOUT_MS = 10_000;

export function checkSystem(): Check {
  const libc = process.platform === "linux" ? `, ${libcOf()}` : "";
  return checksNamed("system").ok(
    `bellhop-agent ${AGENT_VERSION} for ${process.platform} ${process.arch}${libc}, on ${process.platform} ${release()}`,
  );
}

/** Looks for programs as the executors do, with the texts of their connection tests. */
export async function checkHost({ ofService }: { ofService: boolean }): Promise<Check[]> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const interpreters = (["bash", "python", "powershell"] as const).map(async (language) => {
    const { ok, detail } = await checkInterpreter(language, { signal, programs: programsHere("") });
    const check = checksNamed(language);
    const [found = detail, ...advice] = sentences(detail);
    if (!ok) return check.warn(found, advice.join(" ") || "scripts in this language cannot run here");
    const closed = ofService ? whyClosedToJobs(/\(([^()]+)\)$/u.exec(detail)?.[1] ?? "") : null;
    if (closed !== null) return check.warn(`${detail}, but jobs cannot start it: ${closed}`, FOR_ALL);
    return detail.startsWith("Not installed") ? check.skip(detail) : check.ok(detail);
  });
  return [checkRights(ofService), ...(await Promise.all(interpreters)), await checkServices(signal), builtIn()];
}

/** Why jobs cannot start a program; null when every account can. Doctor itself runs as root, which can start more. */
function whyClosedToJobs(program: string): string | null {
  const path = process.platform === "linux" ? Bun.which(program) : null;
  if (path === null) return null;
  const places = [path, followed(path)];
  const [closed] = places.flatMap((place) => closedParents(place));
  if (closed !== undefined) return `${closed} is closed to them`;
  return places.map(whyHidden).find((why) => why !== null) ?? null;
}

/** `ofService`: the checks are about the installed service, which may run as another user than doctor. */
function checkRights(ofService: boolean): Check {
  if (ofService && process.platform !== "win32") {
    return checksNamed("rights").skip(
      "not checked: doctor runs as another user than the service (systemctl show --property=User bellhop-agent)",
    );
  }
  const user = process.platform === "win32" ? null : (process.geteuid?.() ?? null);
  return checksNamed("rights").ok(rights(user).detail.replace("The agent runs", "doctor runs"));
}

async function checkServices(signal: AbortSignal): Promise<Check> {
  const check = checksNamed("services");
  // PowerShell would need a script in the state directory, and doctor leaves no files there.
  if (process.platform === "win32") return check.skip("os.* actions use PowerShell, see above");
  const manager = await checkSystemd(signal);
  // Without systemd the host can run all other actions.
  return manager.ok ? check.ok(manager.detail) : check.skip(`os.* actions cannot run here: ${manager.detail}`);
}

function builtIn(): Check {
  const types = capabilities().filter((type) => !needsProgram(type));
  return checksNamed("built in").ok(`${types.join(", ")} need no program on this host`);
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.:]) (?=[A-Z])/u).map((sentence) => sentence.replace(/[.:]$/u, ""));
}
