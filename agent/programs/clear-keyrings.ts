import { dlopen, FFIType } from "bun:ffi";

/** System call numbers by processor: the C library has no function for keyctl(2). */
const SYS_KEYCTL: Partial<Record<NodeJS.Architecture, number>> = { x64: 250, arm64: 219 };
const KEYCTL_CLEAR = 7;
const KEYCTL_GET_PERSISTENT = 22;
const PROCESS_KEYRING = -2;
const USER_KEYRING = -4;
const USER_SESSION_KEYRING = -5;
const OWN_UID = -1;

/**
 * Empties the keyrings that the kernel keeps for this account beyond its last process (user-keyring(7),
 * user-session-keyring(7), persistent-keyring(7)). An earlier job with the same uid may have left its Kerberos tickets
 * there.
 */
export function clearKeyrings(): void {
  const number = SYS_KEYCTL[process.arch];
  if (process.platform !== "linux" || number === undefined) return;
  const { i64 } = FFIType;
  const { syscall } = dlopen("libc.so.6", {
    syscall: { args: [i64, i64, i64, i64], returns: i64 },
  }).symbols;
  syscall(number, KEYCTL_CLEAR, USER_KEYRING, 0);
  syscall(number, KEYCTL_CLEAR, USER_SESSION_KEYRING, 0);
  const persistent = Number(syscall(number, KEYCTL_GET_PERSISTENT, OWN_UID, PROCESS_KEYRING));
  if (persistent > 0) syscall(number, KEYCTL_CLEAR, persistent, 0);
}
