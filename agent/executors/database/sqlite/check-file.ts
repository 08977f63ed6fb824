import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { errorCode, errorMessage, ExecutorFailure } from "../../shared/failures.ts";

/** Checks that the database is an existing file. Throws `invalid_config` or `unreachable`. */
export async function checkFile(path: string, readOnly: boolean): Promise<{ bytes: number }> {
  // An absolute path cannot be ":memory:" or a "file:" URI with its own settings.
  if (!isAbsolute(path) || path.includes("\0")) {
    const message =
      "The connection's database must be the absolute path of a SQLite file on the agent's host, such as /var/lib/shop/shop.db. Correct the connection.";
    throw new ExecutorFailure("invalid_config", message);
  }
  try {
    const found = await stat(path);
    if (!found.isFile()) {
      throw new ExecutorFailure(
        "invalid_config",
        `${path} on the agent's host is not a file. Correct the connection's database.`,
      );
    }
    await access(path, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
    return { bytes: found.size };
  } catch (error) {
    throw error instanceof ExecutorFailure ? error : unusable(path, error, readOnly);
  }
}

function unusable(path: string, error: unknown, readOnly: boolean): ExecutorFailure {
  const options = { cause: error };
  switch (errorCode(error)) {
    case "ENOENT":
    case "ENOTDIR": {
      const message = `There is no file ${path} on the agent's host, and the action does not make one. Check the path, and which agent the connection names.`;
      return new ExecutorFailure("unreachable", message, null, options);
    }
    case "EACCES":
    case "EPERM":
    case "EROFS": {
      const message = `The account of jobs may not ${readOnly ? "read" : "read and write"} ${path} on the agent's host. Grant it this access${readOnly ? "" : ", or set readOnly on the action"}.`;
      return new ExecutorFailure("unreachable", message, null, options);
    }
    default:
      return new ExecutorFailure(
        "unreachable",
        `${path} on the agent's host cannot be used: ${errorMessage(error)}.`,
        null,
        options,
      );
  }
}
