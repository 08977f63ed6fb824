import { describe, expect, test } from "bun:test";
import type { Permission } from "../../schema/contract/people.ts";
import { CHAT, startForCredentials, newPool, sealedFor } from "../support/credentials.ts";
import { createConnection, problemOf } from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";

/** Who may list recipients, deliver and withdraw. */
const { bellhop, use } = await startForCredentials();
const byAdmin = await signedIn(bellhop, await createUser(bellhop));
const byEditor = await signedIn(bellhop, await createUser(bellhop, { role: "editor" }));

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;
const withToken = async (...permissions: Permission[]): Promise<Call> => {
  const { secret } = await createToken(byAdmin, { permissions });
  return (method, path, body) => withBearer(bellhop, secret, method, path, body);
};

async function attempt(call: Call) {
  const pool = newPool();
  await use.startAgent(pool);
  const { id } = await createConnection(bellhop, { ...CHAT, poolId: pool });
  const [recipient] = await use.recipientsOf(id);
  if (recipient === undefined) throw new Error("the connection has no recipient");
  const path = `/api/v1/automation/connections/${id}`;
  return [
    await call("GET", `${path}/recipients`),
    await call("POST", `${path}/credentials`, {
      sealed: [{ ...sealedFor(recipient, id), version: recipient.version }],
    }),
    await call("DELETE", `${path}/credentials`),
  ];
}

describe("delivery", () => {
  test("needs credentials:write, which an editor and connections:write do not have", async () => {
    for (const call of [byEditor.call, await withToken("automation:read", "connections:write")]) {
      for (const response of await attempt(call)) {
        expect((await problemOf(response, 403, "forbidden")).detail).toContain("credentials:write");
      }
    }
    for (const call of [byAdmin.call, await withToken("credentials:write")]) {
      expect((await attempt(call)).map(({ status }) => status)).toEqual([200, 202, 202]);
    }
  });

  test("is not possible with a token that an editor makes: it has no permission that the editor lacks", async () => {
    const body = { name: "x", permissions: ["credentials:write"] };
    await problemOf(await byEditor.call("POST", "/api/v1/auth/tokens", body), 400, "invalid_request");
  });
});
