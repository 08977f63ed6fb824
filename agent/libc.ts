import { readFileSync } from "node:fs";

/** The C library that this process is linked with. An executable for the other library does not start. */
export function libcOf(maps: () => string = () => readFileSync("/proc/self/maps", "utf8")): "glibc" | "musl" {
  try {
    return maps().includes("/ld-musl-") ? "musl" : "glibc";
  } catch {
    return "glibc";
  }
}
