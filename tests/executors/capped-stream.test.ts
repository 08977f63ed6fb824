import { describe, expect, test } from "bun:test";
import { CappedStream } from "../../agent/executors/shared/capped-stream.ts";
import { STREAM_MAX_BYTES } from "../../schema/limits.ts";

const encoder = new TextEncoder();

function streamOf(text: string, options: { chunkBytes?: number; secrets?: string[] } = {}): CappedStream {
  const stream = new CappedStream(options.secrets ?? []);
  const bytes = encoder.encode(text);
  const chunkBytes = options.chunkBytes ?? 8_192;
  for (let at = 0; at < bytes.length; at += chunkBytes) stream.push(bytes.subarray(at, at + chunkBytes));
  return stream;
}

/** Numbered lines, so that a test sees which lines are left. */
function numberedLines(bytes: number): string {
  let text = "";
  for (let line = 0; text.length < bytes; line += 1) text += `line ${line}\n`;
  return text.slice(0, bytes);
}

describe("a capped stream", () => {
  test("is kept whole up to its limit, for any chunks", () => {
    for (const chunkBytes of [1_000, 65_536, 100_000, 1_000_000]) {
      const text = numberedLines(STREAM_MAX_BYTES);
      expect(streamOf(text, { chunkBytes }).read()).toEqual({ text, droppedBytes: 0 });
    }
  });

  test("is empty when nothing was written", () => {
    expect(new CappedStream().read()).toEqual({ text: "", droppedBytes: 0 });
  });

  test("keeps its beginning and its end, and says how much is missing in between", () => {
    for (const total of [STREAM_MAX_BYTES + 1, 300_000, 700_000, 3_000_001]) {
      for (const chunkBytes of [4_000, 65_537, 1_000_000]) {
        const text = numberedLines(total);
        const { text: kept, droppedBytes } = streamOf(text, { chunkBytes }).read();
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(STREAM_MAX_BYTES);
        expect(Buffer.byteLength(kept)).toBeGreaterThan(STREAM_MAX_BYTES * 0.95);
        const [before = "", after = ""] = kept.split(/\[\.\.\. \d+ bytes left out \.\.\.\]\n/u);
        expect(text.startsWith(before)).toBe(true);
        expect(text.endsWith(after)).toBe(true);
        const leftOut = /\[\.\.\. (\d+) bytes left out \.\.\.\]/u.exec(kept)?.[1];
        expect(before.length + after.length + Number(leftOut)).toBe(total);
        expect(droppedBytes).toBe(Number(leftOut));
      }
    }
  });

  test("is cut between lines if it has any", () => {
    const kept = streamOf(numberedLines(400_000)).read().text.split("\n");
    const marker = kept.findIndex((line) => line.startsWith("[..."));
    expect(kept[marker - 1]).toMatch(/^line \d+$/u);
    expect(kept[marker + 1]).toMatch(/^line \d+$/u);
  });

  test("never splits a character", () => {
    for (const character of ["é", "日", "\u{1f4a5}"]) {
      for (const shift of ["", "x", "xx", "xxx"]) {
        const { text } = streamOf(shift + character.repeat(200_000)).read();
        expect(text).not.toContain("\ufffd");
      }
    }
  });

  test("stays within its limit when it is not UTF-8", () => {
    const stream = new CappedStream();
    stream.push(new Uint8Array(400_000).fill(0xff));
    const { text, droppedBytes } = stream.read();
    expect(droppedBytes).toBeGreaterThan(0);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(STREAM_MAX_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(STREAM_MAX_BYTES * 0.8);
  });

  test("keeps less of both ends when asked to", () => {
    const text = numberedLines(200_000);
    const { text: kept, droppedBytes } = streamOf(text).read(10_000);
    expect(droppedBytes).toBeGreaterThan(190_000);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(10_000);
    expect(kept.startsWith("line 0\n")).toBe(true);
    expect(kept.endsWith(text.slice(-100))).toBe(true);
  });

  test("keeps a secret at the cut whole, even if a part of another one looks the same", () => {
    const secrets = ["0-first-secret-1", "another-secret-0", "1-and-another"];
    const [secret = ""] = secrets;
    for (let shift = 0; shift <= secret.length; shift += 1) {
      const { text } = streamOf("-".repeat(shift) + secret.repeat(20_000), { secrets }).read();
      const [before = "", after = ""] = text.split(/\n\[[^\]]*\]\n/u);
      expect(before.slice(shift).replaceAll(secret, "")).toBe("");
      expect(after.replaceAll(secret, "")).toBe("");
    }
  });

  test("never leaves a part of a secret at a cut", () => {
    const secret = "S3cret-0123456789-abcdefghijklmnopqrstuvwxyz";
    for (let shift = 0; shift <= secret.length; shift += 1) {
      const { text } = streamOf("-".repeat(shift) + secret.repeat(10_000), { secrets: [secret] }).read();
      const [before = "", after = ""] = text.split(/\n?\[\.\.\. \d+ bytes left out \.\.\.\]\n/u);
      expect(before.slice(shift).replaceAll(secret, "")).toBe("");
      expect(after.replaceAll(secret, "")).toBe("");
    }
  });
});
