import { afterAll, expect, test } from "bun:test";
import { isOverload } from "../../worker/store/errors.ts";
import { DatabaseError, sendTransactions } from "../../worker/store/hrana.ts";

let answer = () => new Response();
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => answer() });
afterAll(() => server.stop(true));

async function failureOf(response: () => Response): Promise<DatabaseError> {
  answer = response;
  const statement = { sql: "INSERT INTO t VALUES (1)", params: [] };
  const address = { url: server.url.origin, token: null, limitMs: 10_000 };
  const [outcome] = await sendTransactions(address, [{ mode: "write", statements: [statement, statement] }]);
  if (!(outcome instanceof DatabaseError)) throw new Error("the answer counts as a commit");
  return outcome;
}

test.each<[string, () => Response]>([
  ["a page", () => new Response("<html>")],
  ["no result", () => Response.json({ results: [] })],
  ["a batch without steps", () => Response.json(batch([], []))],
  ["a batch without its commit", () => Response.json(batch([{}, {}, {}, null, null], [null, null, null, null, null]))],
])("%s as the answer to a write leaves open whether it was committed", async (_name, response) => {
  expect((await failureOf(response)).mayHaveCommitted).toBe(true);
});

test("a server's fault has its status as the code, means that there is no room, and is shown in part", async () => {
  const body = { code: "INTERNAL_ERROR", message: "m".repeat(10_000) };
  const failure = await failureOf(() => Response.json(body, { status: 500 }));
  expect(failure.code).toBe("HTTP_500");
  expect(isOverload(failure)).toBe(true);
  expect(failure.message.length).toBeLessThan(600);
});

function batch(results: unknown[], errors: unknown[]) {
  return {
    results: [{ type: "ok", response: { type: "batch", result: { step_results: results, step_errors: errors } } }],
  };
}
