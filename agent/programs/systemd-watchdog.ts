import { dlopen, FFIType, ptr } from "bun:ffi";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MESSAGE = Buffer.from("WATCHDOG=1");
/** A third of systemd's limit, so that one message may be late. */
const SHARE = 3;

/**
 * Reports to systemd that this process is alive (sd_notify(3)). Without reports systemd ends the unit with all its
 * processes: a job could stop (SIGSTOP) the process that has to end it. Does nothing unless systemd asks for it.
 */
export function startSystemdWatchdog(env: Readonly<Record<string, string | undefined>> = process.env): void {
  const [path = "", periodUs = 0] = [env["NOTIFY_SOCKET"], Number(env["WATCHDOG_USEC"] ?? 0)];
  if (path === "" || periodUs <= 0) return;
  const { i32, pointer, u64 } = FFIType;
  const { socket, sendto } = dlopen("libc.so.6", {
    socket: { args: [i32, i32, i32], returns: i32 },
    sendto: { args: [i32, pointer, u64, i32, pointer, i32], returns: i32 },
  }).symbols;
  const descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
  // sockaddr_un: the family in the machine's byte order, then the path. A leading @ means NUL.
  const address = Buffer.concat([Buffer.from(Uint16Array.of(AF_UNIX).buffer), Buffer.from(path.replace(/^@/u, "\0"))]);
  const notify = (): void => void sendto(descriptor, ptr(MESSAGE), MESSAGE.length, 0, ptr(address), address.length);
  notify();
  setInterval(notify, periodUs / 1_000 / SHARE).unref();
}
