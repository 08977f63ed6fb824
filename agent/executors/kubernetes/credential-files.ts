import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Programs } from "../../programs/program.ts";
import { errorCode, errorMessage, ExecutorFailure } from "../shared/failures.ts";

const FILE_MAX_BYTES = 1_048_576;

/** A small file that belongs to a credential, read as a job. `what` is what messages call it; they never quote its content. */
export async function readCredentialFile(
  path: string,
  what: string,
  { readFile }: Pick<Programs, "readFile">,
): Promise<string> {
  const fail = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `${what} ${path} ${problem}`);
  try {
    return Buffer.from(await readFile(path, FILE_MAX_BYTES)).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "not_a_file") throw fail("is not a file.");
    if (errorCode(error) === "too_large") throw fail(`${errorMessage(error)}. Check the path.`);
    if (errorCode(error) === "ENOENT")
      throw fail("does not exist on the agent's host. Check the path, or put the file there.");
    if (errorCode(error) === "EACCES")
      throw fail("may not be read by jobs. Give the account that jobs have the right to read it.");
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
