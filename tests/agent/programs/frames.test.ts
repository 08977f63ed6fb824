import { expect, test } from "bun:test";
import { frame, framesOf } from "../../../agent/programs/frames.ts";

async function read(chunks: Uint8Array[]): Promise<[string, string][]> {
  const stream = (async function* () {
    yield* chunks;
  })();
  const found: [string, string][] = [];
  for await (const { kind, body } of framesOf(stream)) found.push([kind, Buffer.from(body).toString("utf8")]);
  return found;
}

const SENT = Buffer.concat([
  frame("ready"),
  frame("stdout", "häl\0f"),
  frame("stdoutEnd"),
  frame("exited", '{"exitCode":0}'),
]);
const READ: [string, string][] = [
  ["ready", ""],
  ["stdout", "häl\0f"],
  ["stdoutEnd", ""],
  ["exited", '{"exitCode":0}'],
];

test("frames are decoded for any split of the stream", async () => {
  for (let at = 0; at <= SENT.length; at += 1) {
    expect(await read([SENT.subarray(0, at), SENT.subarray(at)])).toEqual(READ);
  }
  expect(await read([...SENT].map((byte) => Uint8Array.of(byte)))).toEqual(READ);
});

test("a stream that ends within a frame yields the whole frames only", async () => {
  expect(await read([SENT.subarray(0, SENT.length - 1)])).toEqual(READ.slice(0, -1));
  expect(await read([])).toEqual([]);
});

test("a large frame in many chunks arrives whole", async () => {
  const body = "x".repeat(3 * 1_024 * 1_024);
  const sent = frame("stdout", body);
  const chunks = Array.from({ length: Math.ceil(sent.length / 65_536) }, (_, index) =>
    sent.subarray(index * 65_536, (index + 1) * 65_536),
  );
  expect(await read(chunks)).toEqual([["stdout", body]]);
});

test.each([
  ["an unknown kind", [0, 0, 0, 0, 0]],
  ["another unknown kind", [12, 0, 0, 0, 0]],
  ["one byte too many", [6, 0, 0x80, 0, 1]],
  ["the largest length", [6, 255, 255, 255, 255]],
])("a frame with %s ends the stream with an error before its body arrives", async (_, head) => {
  const bytes = Buffer.concat([frame("ready"), Uint8Array.from(head)]);
  const frames = framesOf(
    (async function* () {
      yield bytes;
    })(),
  );
  expect((await frames.next()).value).toMatchObject({ kind: "ready" });
  const error = await frames.next().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "job_process" });
});
