import { isAbsolute } from "node:path";
import { parseOptions } from "../commands/options.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";

export interface InstallOptions {
  url: string | null;
  keyFile: string | null;
  /** Null: the service's own user. */
  user: string | null;
  allowOsServices: string[];
  allowSudo: boolean;
  writable: string[];
  dryRun: boolean;
  force: boolean;
  wait: boolean;
}

export type ServiceCommand =
  | ({ verb: "install" } & InstallOptions)
  | { verb: "uninstall"; purge: boolean }
  | { verb: "status"; json: boolean };

const LINUX_OPTIONS = {
  user: "value",
  "allow-os-services": "list",
  "allow-sudo": "flag",
  writable: "list",
} as const;
const INSTALL_OPTIONS = {
  url: "value",
  "key-file": "value",
  "dry-run": "flag",
  force: "flag",
  "no-wait": "flag",
} as const;

/** Reads the words after `service`. Throws CommandRefused (`usage`). */
export function parseServiceCommand(args: readonly string[], platform: string): ServiceCommand {
  const [verb, ...rest] = args;
  switch (verb) {
    case "install":
      return { verb, ...installOptions(rest, platform) };
    case "uninstall":
      return { verb, purge: parseOptions("service uninstall", rest, { purge: "flag" }).has("purge") };
    case "status":
      return { verb, json: parseOptions("service status", rest, { json: "flag" }).has("json") };
  }
  throw new CommandRefused(
    EXIT.usage,
    "service: say what to do: install, uninstall or status\nTry bellhop-agent service --help.",
  );
}

function installOptions(args: readonly string[], platform: string): InstallOptions {
  const kinds = platform === "win32" ? INSTALL_OPTIONS : { ...INSTALL_OPTIONS, ...LINUX_OPTIONS };
  const options = parseOptions("service install", args, kinds);
  const writable = options.list("writable");
  if (writable.some((path) => !isAbsolute(path))) {
    throw new CommandRefused(EXIT.usage, "--writable needs the absolute path of a directory, such as /srv/reports");
  }
  return {
    url: options.value("url"),
    keyFile: options.value("key-file"),
    user: options.value("user"),
    allowOsServices: options.list("allow-os-services"),
    allowSudo: options.has("allow-sudo"),
    writable,
    dryRun: options.has("dry-run"),
    force: options.has("force"),
    wait: !options.has("no-wait"),
  };
}
