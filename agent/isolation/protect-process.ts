import { ENROLMENT_CODE_VARIABLE } from "../../schema/contract/agent.ts";
import { dlopen, FFIType, ptr, toArrayBuffer } from "bun:ffi";

const PR_SET_DUMPABLE = 4;
/** Variables that jobs must not see. */
const SECRET_VARIABLES = ["AGENT_API_KEY", "ADMIN_TOKEN", ENROLMENT_CODE_VARIABLE];

/**
 * Closes this process to others of the same account (prctl(2), PR_SET_DUMPABLE): no debugger, no /proc/<pid>/mem,
 * environ, maps or fd, no core dump. Root and CAP_SYS_PTRACE can still read it. Only on Linux.
 */
export function closeToOwnAccount(): void {
  if (process.platform !== "linux") return;
  libc().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/**
 * Removes the secrets from the environment and returns them. On Linux it also overwrites the bytes that the kernel
 * shows as /proc/<pid>/environ, so that processes that may read that file, such as root's scripts, find none.
 */
export function takeSecretVariables(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const name of SECRET_VARIABLES) {
    const value = env[name];
    if (value === undefined) continue;
    taken[name] = value;
    if (process.platform === "linux") overwrite(name);
    delete env[name];
  }
  return taken;
}

function overwrite(name: string): void {
  const { getenv, strlen } = libc();
  const value = getenv(ptr(Buffer.from(`${name}\0`)));
  if (typeof value !== "number") return;
  const length = Number(strlen(value));
  if (length > 0) new Uint8Array(toArrayBuffer(value, 0, length)).fill(0);
}

let loaded: ReturnType<typeof open> | null = null;

function libc(): ReturnType<typeof open>["symbols"] {
  loaded ??= open();
  return loaded.symbols;
}

function open() {
  const { i32, pointer, u64 } = FFIType;
  return dlopen("libc.so.6", {
    prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
    getenv: { args: [pointer], returns: pointer },
    strlen: { args: [pointer], returns: u64 },
  });
}
