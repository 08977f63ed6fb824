import { describe, expect, test } from "bun:test";
import { readBytes } from "../../worker/http/read-bytes.ts";

const MIB = 1_024 * 1_024;

describe("reading a request body", () => {
  test("fails when the body stalls, and releases it", async () => {
    let given: unknown;
    const stalls = new ReadableStream<Uint8Array>({
      type: "bytes",
      start: (stream) => stream.enqueue(new Uint8Array([0x7b])),
      cancel: (reason) => {
        given = reason ?? "cancelled";
      },
    });
    const reading = readBytes(post(stalls), { maxBytes: 10, times: { wholeMs: 3_600_000, stallMs: 1 } });
    await expect(reading).rejects.toMatchObject({
      code: "request_timeout",
      message: expect.stringContaining("for 0.001 s"),
    });
    expect(given).toBe("cancelled");
  });

  test("fails when a body that comes a byte at a time exceeds its total time", async () => {
    const trickles = new ReadableStream<Uint8Array>({
      type: "bytes",
      pull: async (stream) => {
        await new Promise((resolve) => setImmediate(resolve));
        stream.enqueue(new Uint8Array(1));
      },
    });
    const reading = readBytes(post(trickles), { maxBytes: MIB, times: { wholeMs: 20, stallMs: 10_000 } });
    await expect(reading).rejects.toMatchObject({
      code: "request_timeout",
      message: expect.stringContaining("within 0.02 s"),
    });
  });

  test("continues as long as parts arrive", async () => {
    expect(await readBytes(post(pieces(100_000, 3)), { maxBytes: MIB })).toEqual(new Uint8Array(300_000).fill(7));
  });

  test("fails when the body breaks off", async () => {
    const breaks = new ReadableStream<Uint8Array>({
      type: "bytes",
      start: (stream) => stream.error(new Error("connection reset")),
    });
    await expect(readBytes(post(breaks), { maxBytes: 10 })).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("joins parts up to its limit", async () => {
    expect(await readBytes(post(pieces(4, 3)), { maxBytes: 12 })).toEqual(new Uint8Array(12).fill(7));
    await expect(readBytes(post(pieces(4, 3)), { maxBytes: 11 })).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("discards a little of an oversized body, so that the caller gets the 413, then disconnects", async () => {
    let given = 0;
    const endless = new ReadableStream<Uint8Array>({
      type: "bytes",
      pull: (stream) => {
        given += MIB;
        stream.enqueue(new Uint8Array(MIB));
      },
    });
    await expect(readBytes(post(endless), { maxBytes: MIB })).rejects.toMatchObject({ code: "payload_too_large" });
    expect(given).toBeLessThan(20 * MIB);
  });
});

function post(body: ReadableStream<Uint8Array>): Request {
  return new Request("http://127.0.0.1/", { method: "POST", body });
}

function pieces(count: number, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    start: (stream) => {
      for (let i = 0; i < count; i += 1) stream.enqueue(new Uint8Array(size).fill(7));
      stream.close();
    },
  });
}
