import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { errorCode, errorMessage, ExecutorFailure } from "../shared/failures.ts";

const FILE_MAX_BYTES = 1_048_576;

/** A small file that belongs to a credential. `what` is what messages call it; they never quote its content. */
export async function readCredentialFile(path: string, what: string): Promise<string> {
  const fail = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `${what} ${path} ${problem}`);
  try {
    const { size, ...found } = await stat(path).then((entry) => ({ size: entry.size, file: entry.isFile() }));
    // A device or a pipe would never end.
    if (!found.file) throw fail("is not a file.");
    if (size > FILE_MAX_BYTES) throw fail(`has ${size} bytes: more than any such file has. Check the path.`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof ExecutorFailure) throw error;
    if (errorCode(error) === "ENOENT")
      throw fail("does not exist on the agent's host. Check the path, or put the file there.");
    if (errorCode(error) === "EACCES")
      throw fail("may not be read by the agent. Give the agent's user the right to read it.");
    throw fail(`cannot be read: ${errorMessage(error)}.`);
  }
}

/** The connection's kubeconfigPath as a whole path; `~/` is the home of the agent's user. */
export function kubeconfigFile(path: string): string {
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  if (isAbsolute(path)) return path;
  const message = `kubeconfigPath ${path} must be a whole path on the agent's host, such as /etc/bellhop/kubeconfig.`;
  throw new ExecutorFailure("invalid_config", message);
}

/** Paths inside a kubeconfig count from the folder that it lies in. */
export function besideKubeconfig(kubeconfig: string, path: string): string {
  return resolve(dirname(kubeconfig), path);
}
