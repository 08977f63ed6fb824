import { ProgramError } from "./program.ts";

/**
 * The messages between the agent and a job process: one byte for the kind, four for the length (big-endian), and the
 * body. The agent sends `order` and `stop`; the job process sends all others.
 */
export const FRAMES = {
  order: 1,
  stop: 2,
  ready: 3,
  started: 4,
  refused: 5,
  stdout: 6,
  stderr: 7,
  stdoutEnd: 8,
  stderrEnd: 9,
  exited: 10,
  ended: 11,
} as const;
export type FrameKind = keyof typeof FRAMES;

export interface Frame {
  kind: FrameKind;
  body: Uint8Array;
}

const HEAD_BYTES = 5;
/** An order contains a script and its environment. Output comes in chunks. */
const BODY_MAX_BYTES = 8 * 1_024 * 1_024;
const KINDS = new Map<number, FrameKind>((Object.keys(FRAMES) as FrameKind[]).map((kind) => [FRAMES[kind], kind]));

export function frame(kind: FrameKind, body: Uint8Array | string = ""): Uint8Array {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const whole = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  whole[0] = FRAMES[kind];
  whole.writeUInt32BE(bytes.length, 1);
  whole.set(bytes, HEAD_BYTES);
  return whole;
}

/** Splits a stream into frames. Throws `job_process` for invalid bytes. */
export async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const kind = KINDS.get(rest[0] ?? 0);
      const length = rest.readUInt32BE(1);
      if (kind === undefined || length > BODY_MAX_BYTES) {
        throw new ProgramError("job_process", "the job's process sent a message that is not valid");
      }
      if (rest.length < HEAD_BYTES + length) break;
      yield { kind, body: rest.subarray(HEAD_BYTES, HEAD_BYTES + length) };
      rest = rest.subarray(HEAD_BYTES + length);
    }
  }
}
