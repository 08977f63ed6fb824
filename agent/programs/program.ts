/** A program to start for a job. */
export interface ProgramOrder {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute; must be a directory that the program's account may enter. Without one, an empty directory for the script, or the starter's. */
  cwd?: string | undefined;
  /** Written to a file that only the program's account can read; its path becomes the last argument. */
  script?: { fileName: string; text: string } | undefined;
  /** What the program reads; nothing without it. */
  stdin?: string | undefined;
  /** What the processes of the job carry in their environment, so that a killed agent finds them again. */
  mark: string;
}

export interface ProgramExit {
  exitCode: number;
  /** The signal that ended the program, when it was one. */
  signal: string | null;
}

/**
 * A program that runs. Its starter closes it, and reads both outputs until then: a program with much output waits for its
 * reader, and so may `exited`.
 */
export interface RunningProgram {
  stdout: ReadableStream<Uint8Array>;
  stderr: ReadableStream<Uint8Array>;
  exited: Promise<ProgramExit>;
  /**
   * Ends the program's process group, and with `everything` also what left it: SIGTERM, and SIGKILL to what is left 2 s
   * later. A program of another account always ends with everything. Fulfilled when all is gone.
   */
  end(what: "group" | "everything"): Promise<void>;
  /** Removes what was made for it. */
  close(): Promise<void>;
}

/** Starts a program; throws an error with a `code` such as ENOENT, E2BIG, `wrong_directory` or `job_process`. */
export type StartProgram = (order: ProgramOrder) => Promise<RunningProgram>;

/** How programs of jobs are started, and files that jobs name are read: by an account that cannot reach the agent, where there is one. */
export interface Programs {
  start: StartProgram;
  /** Throws an error with a `code` such as ENOENT, EACCES, `not_a_file` or `too_large`. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Whether programs run as another account than the agent: then its HOME, USER and the like are none of theirs. */
  readonly otherAccount: boolean;
}

/** The `code` of an error of the system, for one that is made here or in another process. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
