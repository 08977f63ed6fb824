import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import { GateBench } from "../../support/gate-bench.ts";

const WHOLE = { payload: { headers: ["x-event", "x-absent"], query: ["env"] } };
const SENT = {
  headers: [
    ["x-event", 'push "now"'],
    ["x-other", "unread"],
  ],
  query: [
    ["env", "prod"],
    ["env", "test"],
    ["debug", "1"],
  ],
} as const;

const bodyOf = (text: string, variables: string | { code: "invalid_request"; detail: string } = "{}") =>
  ({ ok: true, dedupeKey: `h:${text}`, text, variables }) as const;

async function startedWith(bench: GateBench): Promise<unknown> {
  await bench.start();
  return bench.starts.map(({ trigger }) => trigger);
}

describe("a gate of a workflow that reads the whole body", () => {
  test("starts it with the body, and the named headers and parameters alone", async () => {
    const bench = new GateBench(WHOLE);
    const body = bodyOf(' {"alert": {"id": 7.10}, "variables": {"a": 1}} ', '{"a": 1}');
    expect(bench.accept({ body, sent: SENT })).toMatchObject({ type: "accepted", readsBody: true });
    const variables = {
      body: { alert: { id: 7.1 }, variables: { a: 1 } },
      headers: { "x-event": 'push "now"' },
      query: { env: "prod" },
    };
    expect(await startedWith(bench)).toEqual([{ type: "webhook", variables }]);
  });

  test.each<[text: string, body: unknown]>([
    ["", null],
    ["[1,2]", [1, 2]],
    ['"text"', "text"],
    ['{"variables":7}', { variables: 7 }],
  ])("takes the body %p, which has no variables", async (text, body) => {
    const bench = new GateBench(WHOLE);
    expect(bench.accept({ body: bodyOf(text, { code: "invalid_request", detail: "" }) }).type).toBe("accepted");
    expect(await startedWith(bench)).toEqual([{ type: "webhook", variables: { body, headers: {}, query: {} } }]);
  });

  test("does not give it the header with the signature", async () => {
    const verification = { type: "hmac", scheme: "generic", header: "X-Event", encoding: "hex" } as const;
    const bench = new GateBench({ ...WHOLE, verification });
    expect(bench.accept({ by: "hmac", secretDigest: null, body: bodyOf("{}"), sent: SENT }).type).toBe("accepted");
    const variables = { body: {}, headers: {}, query: { env: "prod" } };
    expect(await startedWith(bench)).toEqual([{ type: "webhook", variables }]);
  });

  test("takes the same body with other headers as a repeat", () => {
    const bench = new GateBench(WHOLE);
    bench.accept({ body: bodyOf("{}") });
    expect(bench.accept({ body: bodyOf("{}"), sent: SENT })).toMatchObject({ type: "accepted", deduplicated: true });
  });
});

describe("a gate of a workflow that reads the variables", () => {
  test("starts it with nothing else, and refuses a body that has none", async () => {
    const bench = new GateBench();
    const problem = { code: "invalid_request", detail: "no variables" } as const;
    expect(bench.accept({ body: bodyOf("[]", problem) })).toEqual({ type: "badBody", problem });
    bench.accept({ body: bodyOf('{"b":1,"variables":{"a":1}}', '{"a":1}'), sent: SENT });
    expect(await startedWith(bench)).toEqual([{ type: "webhook", variables: { a: 1 } }]);
  });
});
