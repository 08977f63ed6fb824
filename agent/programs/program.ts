/** A program to start for a job. */
export interface ProgramOrder {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /**
   * An absolute path of a directory that the program's account may enter. Default: an empty directory for a script, or
   * the starter's directory.
   */
  cwd?: string | undefined;
  /** Written to a file that only the program's account can read. Its path becomes the last argument. */
  script?: { fileName: string; text: string } | undefined;
  /** The program's standard input; empty by default. */
  stdin?: string | undefined;
  /** A mark in the environment of the job's processes, by which they can be found after the agent was killed. */
  mark: string;
}

export interface ProgramExit {
  exitCode: number;
  /** The signal that ended the program, if any. */
  signal: string | null;
}

/**
 * A running program. Its starter closes it, and reads both outputs until then: a program with much output waits for its
 * reader, and `exited` may wait, too.
 */
export interface RunningProgram {
  stdout: ReadableStream<Uint8Array>;
  stderr: ReadableStream<Uint8Array>;
  exited: Promise<ProgramExit>;
  /**
   * Ends the program's process group, and with `everything` also the processes that left it: SIGTERM, and SIGKILL after
   * 2 s. A program of another account always ends with everything. Resolves when all are gone.
   */
  end(what: "group" | "everything"): Promise<void>;
  /** Removes the files that were made for the program. */
  close(): Promise<void>;
}

/** Starts a program. Throws an error with a `code` such as ENOENT, E2BIG, `wrong_directory` or `job_process`. */
export type StartProgram = (order: ProgramOrder) => Promise<RunningProgram>;

/** Starts programs of jobs and reads files that jobs name, where possible as an account that cannot reach the agent. */
export interface Programs {
  start: StartProgram;
  /** Throws an error with a `code` such as ENOENT, EACCES, `not_a_file` or `too_large`. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Whether programs run as another account than the agent, to which the agent's HOME and USER do not apply. */
  readonly otherAccount: boolean;
}

/** An error with a `code`, as system errors have one. Made here or in another process. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
