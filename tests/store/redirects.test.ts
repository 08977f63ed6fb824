import { expect, test } from "bun:test";
import { openDatabase } from "../../worker/store/database.ts";
import { isUnavailable } from "../../worker/store/errors.ts";
import { errorOf } from "../support/each-database.ts";

const SELECT = [{ sql: "SELECT 1", params: [] }];

test.each([301, 302, 303, 307, 308])(
  "a database that redirects with %i is unavailable, and the other server gets no request",
  async (status) => {
    let followed = 0;
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        followed += 1;
        return Response.json({ results: [] });
      },
    });
    const database = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(null, { status, headers: { Location: `${other.url.origin}/v2/pipeline` } }),
    });
    const db = openDatabase({ url: database.url.origin, token: "secret" });
    for (const way of [() => db.read(SELECT), () => db.write(SELECT)]) {
      const error = await errorOf(way());
      expect(error).toMatchObject({ code: `HTTP_${status}` });
      expect(isUnavailable(error)).toBe(true);
    }
    expect(followed).toBe(0);
    await Promise.all([database.stop(true), other.stop(true)]);
  },
);
