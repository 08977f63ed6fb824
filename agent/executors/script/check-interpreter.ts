import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { jobEnvironment } from "../shared/environment.ts";
import { errorCode, errorMessage } from "../shared/failures.ts";
import { runProcessGroup } from "../shared/process-group.ts";
import { findInterpreter, INTERPRETERS, type Language } from "./interpreters.ts";

const VERSION_TIMEOUT_MS = 10_000;

/**
 * Whether scripts of a language can run here, and its version. A missing language fails the test only if every host
 * should have it: bash, and PowerShell on Windows.
 */
export async function checkInterpreter(
  language: Language,
  { signal: ended, programs }: Pick<ExecutorContext, "signal" | "programs">,
): Promise<ConnectionCheck> {
  const environment = jobEnvironment(programs);
  const interpreter = findInterpreter(language, environment, programs);
  const { install, versionArguments } = INTERPRETERS[language];
  const needed = language === (process.platform === "win32" ? "powershell" : "bash");
  const missing = (): ConnectionCheck => {
    const detail = `Not installed: script.${language} cannot run here. ${install} if workflows use it.`;
    return { name: language, ok: !needed, detail };
  };
  if (interpreter === null) return missing();
  const [program] = interpreter;
  const failed = (what: string): ConnectionCheck => {
    return { name: language, ok: false, detail: `${program} is installed but ${what}. Repair or reinstall it.` };
  };
  const signal = AbortSignal.any([ended, AbortSignal.timeout(VERSION_TIMEOUT_MS)]);
  try {
    const end = await runProcessGroup(programs.start, [program, ...versionArguments], {
      env: environment,
      signal,
      secrets: [],
    });
    const said = `${end.streams.stdout.read().text}${end.streams.stderr.read().text}`.trim().split("\n")[0] ?? "";
    if (end.aborted) return failed(`did not print its version within ${VERSION_TIMEOUT_MS / 1_000} s`);
    if (end.exitCode !== 0) return failed(`does not start (exit code ${end.exitCode}): ${said.slice(0, 500)}`);
    return { name: language, ok: true, detail: `${said.slice(0, 500)} (${program})` };
  } catch (error) {
    if (programs.otherAccount && errorCode(error) === "ENOENT") return missing();
    return failed(`cannot be started (${errorMessage(error)})`);
  }
}
