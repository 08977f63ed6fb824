import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "../atomic-file.ts";
import { describeError } from "../log.ts";
import { deriveVaultKey, fingerprintOf, privateKeySchema, unseal } from "../vault/crypto.ts";
import { openCredentials, unboundIds } from "../vault/entries.ts";
import { vaultFileSchema } from "../vault/file.ts";
import type { VaultFile } from "../vault/file.ts";
import { isSameKey, parseJson, prefixOf } from "../vault/header.ts";
import { PRIVATE_KEY_NAME } from "../vault/index.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

const SHOWN_CONNECTIONS = 10;
const ELSEWHERE = "let VAULT_PATH name a file in a directory that the agent's user may write to";
/** Magic numbers of proc, sysfs and both kinds of cgroup in statfs(2). */
const KERNELS_FILE_SYSTEMS = new Set([0x9fa0, 0x62656572, 0x27e0eb, 0x63677270]);
const vault = checksNamed("vault");
const directory = checksNamed("state directory");

/** Checks the vault without changing it. The agent itself would create, move or close files. */
export async function checkVault(path: string, apiKey: string | null): Promise<Check[]> {
  return [checkDirectory(dirname(path)), await checkFile(path, apiKey)];
}

function checkDirectory(path: string): Check {
  if (existsSync(path) && !statSync(path).isDirectory()) {
    return directory.fail(`${path} is a file, not a directory`, ELSEWHERE);
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return checkParent(path);
    if (hasCode(error, "ENOTDIR")) return directory.fail(`${path} is below a file, not a directory`, ELSEWHERE);
    if (hasCode(error, "EROFS")) return directory.fail(`${path} is on a disk that is mounted read-only`, ELSEWHERE);
    return directory.fail(
      `${path} is not writable for this user`,
      "run doctor as the agent's user; if you did, give that user the directory (chown)",
    );
  }
  if (isKernels(path))
    return directory.fail(`${path} is a file system of the kernel, which holds no files of programs`, ELSEWHERE);
  const { mode, uid } = statSync(path);
  if (process.platform === "win32") return directory.ok(`${path} is writable`);
  const user = process.getuid?.() ?? uid;
  if (uid !== user && user !== 0) {
    return directory.warn(`${path} belongs to the user with id ${uid}`, "run the agent and doctor as the same user");
  }
  if ((mode & 0o077) !== 0) {
    return directory.warn(
      `${path} is open to other users (mode ${octal(mode)})`,
      `close it to them: chmod 700 ${path}`,
    );
  }
  const owner = uid === user ? "" : `, of the user with id ${uid}`;
  return directory.ok(`${path} is writable, and closed to other users${owner}`);
}

/** The agent makes missing directories. The nearest existing directory decides whether it may. */
function checkParent(path: string): Check {
  let above = dirname(path);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  if (isKernels(above)) {
    return directory.fail(
      `${path} cannot be made: ${above} is a file system of the kernel, which holds no files of programs`,
      ELSEWHERE,
    );
  }
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
    return directory.ok(`${path} is not there yet: the agent makes it when it first starts`);
  } catch (error) {
    const why = hasCode(error, "EROFS") ? "is mounted read-only" : "is not writable for this user";
    return directory.fail(`${path} is not there and cannot be made: ${above} ${why}`, ELSEWHERE);
  }
}

/** By mode bits root may write anywhere, even where the kernel lets no one create a file. */
function isKernels(path: string): boolean {
  return process.platform === "linux" && KERNELS_FILE_SYSTEMS.has(statfsSync(path).type);
}

async function checkFile(path: string, apiKey: string | null): Promise<Check> {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(path, "utf8");
    mode = statSync(path).mode;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return vault.ok(`${path} is not there yet: the agent makes it when it first starts`);
    return vault.fail(
      `${path} cannot be read (${describeError(error)})`,
      "run doctor as the agent's user, or give that user the file (chown)",
    );
  }
  const file = vaultFileSchema.safeParse(parseJson(text));
  if (!file.success) {
    return vault.fail(
      `${path} is not a vault, or is damaged`,
      "restore a backup; or start the agent, which moves it aside, and deliver the credentials again",
    );
  }
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return vault.warn(
      `${path} can be read by others (mode ${octal(mode)})`,
      `chmod 600 ${path}: the agent does so when it starts`,
    );
  }
  return checkContents(path, file.data, apiKey);
}

async function checkContents(path: string, file: VaultFile, apiKey: string | null): Promise<Check> {
  const count = file.credentials.length;
  const fingerprint = fingerprintOf(file.publicKey);
  if (apiKey === null) return vault.skip(`${path} was not opened: there is no AGENT_API_KEY; ${counted(count)}`);
  const again =
    "start the agent with its former key; or start it with this key, which moves this vault aside, and deliver its credentials again";
  if (file.agentKeyPrefix !== prefixOf(apiKey)) return vault.fail(`${path} belongs to another agent key`, again);
  const key = await deriveVaultKey(apiKey, Buffer.from(file.salt, "base64"));
  const own = privateKeySchema.safeParse(parseJson(unseal(key, file.privateKey, PRIVATE_KEY_NAME)));
  if (!own.success || !isSameKey(own.data, file.publicKey))
    return vault.fail(`${path} does not open with this agent key`, again);
  const { credentials, unreadable } = openCredentials(key, file.credentials);
  if (unreadable.length > 0) {
    return vault.fail(`${path} holds credentials that do not open: ${named(unreadable)}`, "deliver these again");
  }
  const unbound = unboundIds(credentials);
  if (unbound.length > 0) {
    return vault.warn(
      `${path} opens; ${unbound.length} of ${counted(count)} without a target, which no job can use: ${named(unbound)}`,
      `deliver each again, or test its connection and then bind it: bellhop-agent credentials bind ${unbound[0]}`,
    );
  }
  const names = count === 0 ? "" : ` (${named([...credentials.keys()])})`;
  return vault.ok(`${path} opens; ${counted(count)}${names}; fingerprint ${fingerprint}`);
}

function counted(count: number): string {
  return count === 1 ? "1 credential" : `${count} credentials`;
}

function named(connectionIds: readonly string[]): string {
  const more = connectionIds.length - SHOWN_CONNECTIONS;
  return `${connectionIds.slice(0, SHOWN_CONNECTIONS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
