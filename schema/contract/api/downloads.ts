import type { Operation, RequestHeader } from "../operation.ts";

const tag = "Installing agents";

const NAMES =
  "`{name}` is the target of an executable (`linux-x64`, `linux-arm64`, `linux-x64-musl`, `windows-x64`), or one of `manifest.json`, `manifest.json.sig`, `SHA256SUMS`, `sbom.cdx.json`.";

const headers = [
  { name: "Accept-Encoding", description: "`gzip` or `zstd`: executables and the SBOM are also stored compressed." },
  { name: "Range", description: "One range of bytes, in the coding of the answer." },
  { name: "If-Range", description: "The `ETag` of the range; if it has changed, the answer is the whole file." },
] as const satisfies readonly RequestHeader[];

export const downloadRelease = {
  id: "downloadRelease",
  method: "GET",
  path: "/downloads/agent/{version}/{name}",
  tag,
  summary: "A file of a release of the agent",
  description: `${NAMES} \`manifest.json\` lists the executables with their SHA-256, and \`manifest.json.sig\` is the base64 of its Ed25519 signature. The files of a version never change.`,
  access: "public",
  headers,
  answer: { kind: "raw", status: 200, contentType: "application/octet-stream", alsoStatus: 206 },
  errors: ["not_found", "range_not_satisfiable"],
  etag: true,
} as const satisfies Operation;

export const downloadLatestRelease = {
  id: "downloadLatestRelease",
  method: "GET",
  path: "/downloads/agent/latest/{name}",
  tag,
  summary: "The same file of the newest release",
  description: NAMES,
  access: "public",
  answer: { kind: "raw", status: 302, contentType: "text/plain" },
  errors: ["not_found"],
} as const satisfies Operation;

export const getInstallScript = {
  id: "getInstallScript",
  method: "GET",
  path: "/install.sh",
  tag,
  summary: "A shell script that installs the agent on Linux",
  description:
    "`curl -fsSL <this address> | sh`. It contains the SHA-256 sums of the newest release, and checks them before it runs or installs anything.",
  access: "public",
  answer: { kind: "raw", status: 200, contentType: "text/plain" },
  errors: ["not_found", "invalid_request"],
} as const satisfies Operation;

export const getWindowsInstallScript = {
  id: "getWindowsInstallScript",
  method: "GET",
  path: "/install.ps1",
  tag,
  summary: "A PowerShell script that installs the agent on Windows",
  description: "`irm <this address> | iex`. It does what `/install.sh` does on Linux.",
  access: "public",
  answer: { kind: "raw", status: 200, contentType: "text/plain" },
  errors: ["not_found", "invalid_request"],
} as const satisfies Operation;
