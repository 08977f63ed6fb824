import type { ReleaseTarget } from "../../schema/contract/release.ts";
import { libcOf } from "../libc.ts";

/** The release target of this process; null when releases have none for it. */
export function ownTarget(
  platform: string = process.platform,
  arch: string = process.arch,
  libc: "glibc" | "musl" = libcOf(),
): ReleaseTarget | null {
  if (platform === "win32") return arch === "x64" ? "windows-x64" : null;
  if (platform !== "linux") return null;
  if (libc === "musl") return arch === "x64" ? "linux-x64-musl" : null;
  return arch === "x64" ? "linux-x64" : arch === "arm64" ? "linux-arm64" : null;
}
