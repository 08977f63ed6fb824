import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { ReleaseExecutable, ReleaseManifest } from "../../schema/contract/release.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import { getReleaseFile, wrongDownload } from "./release-client.ts";

const SECOND_MS = 1_000;
/** The limit for one piece of the download. The whole may take any time. */
const STALL_MS = 60 * SECOND_MS;
/** Attempts in a row without a new byte. A connection that breaks often can still finish the download. */
const TRIES = 5;

/** The unpacked bytes so far. The digest continues over all answers. */
interface Part {
  readonly file: FileHandle;
  hash: ReturnType<typeof createHash>;
  received: number;
}

/**
 * Writes the executable to a new file at `path`, and removes it unless size and digest match the manifest. Resumes
 * after a broken connection. Throws CommandRefused.
 */
export async function downloadExecutable(
  apiUrl: string,
  { version }: ReleaseManifest,
  executable: ReleaseExecutable,
  path: string,
  pause: (ms: number) => Promise<void> = Bun.sleep,
): Promise<void> {
  await rm(path, { force: true });
  const part: Part = { file: await open(path, "wx", 0o700), hash: createHash("sha256"), received: 0 };
  try {
    await receiveAll(apiUrl, version, executable, part, pause);
    if (part.received !== executable.bytes) {
      throw wrongDownload(`it has ${part.received} bytes and not ${executable.bytes}`);
    }
    if (part.hash.digest("hex") !== executable.sha256) throw wrongDownload("its SHA-256 is not the manifest's");
    await part.file.sync();
    await part.file.close();
  } catch (error) {
    await part.file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function receiveAll(
  apiUrl: string,
  version: string,
  executable: ReleaseExecutable,
  part: Part,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  let most = 0;
  for (let tries = 1; ; tries++) {
    try {
      if (await receive(apiUrl, version, executable, part)) return;
      break;
    } catch (error) {
      if (part.received === executable.bytes) return;
      if (!isWorthAnotherTry(error)) throw error;
      if (part.received > most) [most, tries] = [part.received, 1];
      if (tries >= TRIES) {
        throw new CommandRefused(
          EXIT.unavailable,
          `the download broke off after ${part.received} bytes, ${TRIES} times in a row (${describeError(error)}): nothing was changed, try again`,
          { cause: error },
        );
      }
    }
    await pause(tries * SECOND_MS);
  }
  throw new CommandRefused(
    EXIT.unavailable,
    `the deployment has no file for ${version} ${executable.target}: nothing was changed. Choose another version, or publish the release again`,
  );
}

/** True for a broken connection or an unavailable service, false for a problem of the release or of this disk. */
function isWorthAnotherTry(error: unknown): boolean {
  return !(error instanceof CommandRefused) || error.exitCode === EXIT.unavailable;
}

/** Appends one answer to the file. False when the service has no such file. */
async function receive(
  apiUrl: string,
  version: string,
  { target, bytes, sha256 }: ReleaseExecutable,
  part: Part,
): Promise<boolean> {
  const stall = new AbortController();
  const abort = () => stall.abort(new Error(`nothing came for ${STALL_MS / SECOND_MS} s`));
  let timer = setTimeout(abort, STALL_MS);
  try {
    // The entity tag of the plain bytes is their digest. A compressed earlier answer was unpacked to the same bytes.
    const onward = { Range: `bytes=${part.received}-`, "If-Range": `"${sha256}"`, "Accept-Encoding": "identity" };
    const headers: Record<string, string> = part.received === 0 ? {} : onward;
    const response = await getReleaseFile(apiUrl, version, target, { signal: stall.signal, headers });
    if (response === null) return false;
    if (!goesOn(response, part.received)) await startOver(part);
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(abort, STALL_MS);
      if (part.received + chunk.length > bytes) {
        throw wrongDownload(`it has more than the ${bytes} bytes that the manifest says`);
      }
      await append(part, chunk);
    }
    return true;
  } finally {
    clearTimeout(timer);
    stall.abort();
  }
}

function goesOn(response: Response, from: number): boolean {
  return response.status === 206 && (response.headers.get("Content-Range") ?? "").startsWith(`bytes ${from}-`);
}

async function startOver(part: Part): Promise<void> {
  part.hash = createHash("sha256");
  part.received = 0;
  await part.file.truncate(0);
}

async function append(part: Part, chunk: Uint8Array): Promise<void> {
  let done = 0;
  try {
    while (done < chunk.length) {
      const { bytesWritten } = await part.file.write(chunk, done, chunk.length - done, part.received + done);
      done += bytesWritten;
    }
  } catch (error) {
    throw new CommandRefused(
      EXIT.cannotCreate,
      `the new executable cannot be written (${describeError(error)}): nothing was changed; free some space, and try again`,
      { cause: error },
    );
  }
  part.hash.update(chunk);
  part.received += chunk.length;
}
