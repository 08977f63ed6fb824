import { describe, expect, test } from "bun:test";
import { readBytes } from "../../worker/http/read-bytes.ts";

const MIB = 1_024 * 1_024;

describe("reading a body", () => {
  test("gives up on one that stalls", async () => {
    const stalls = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new Uint8Array([0x7b])) });
    const reading = readBytes(post(stalls), { maxBytes: 10, withinMs: 1 });
    await expect(reading).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("0.001 s"),
    });
  });

  test("says so when it breaks off", async () => {
    const breaks = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(new Error("connection reset")) });
    await expect(readBytes(post(breaks), { maxBytes: 10 })).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("joins what comes in pieces, up to its limit and no further", async () => {
    expect(await readBytes(post(pieces(4, 3)), { maxBytes: 12 })).toEqual(new Uint8Array(12).fill(7));
    await expect(readBytes(post(pieces(4, 3)), { maxBytes: 11 })).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("throws a little of what is too much away, so that the caller sees the answer, and then hangs up", async () => {
    let given = 0;
    const endless = new ReadableStream<Uint8Array>({
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
    start: (stream) => {
      for (let i = 0; i < count; i += 1) stream.enqueue(new Uint8Array(size).fill(7));
      stream.close();
    },
  });
}
