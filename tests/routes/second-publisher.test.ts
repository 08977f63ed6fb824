import { afterAll, beforeAll, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { problemOf } from "../support/management-api.ts";
import { createOwnerlessToken, createToken, createUser, succeeded, withBearer } from "../support/people.ts";
import { publishAs, replaceAs, saveAs, signInPerson } from "../support/signed-in-people.ts";
import type { Send, SignedInPerson } from "../support/signed-in-people.ts";

/** Publishing and approvals: warnings, and REQUIRE_SECOND_PUBLISHER. */
let bellhop: Service;
let ada: SignedInPerson;
let bob: SignedInPerson;
let bootstrap: Send;

beforeAll(async () => {
  bellhop = await startApp({ bindings: { REQUIRE_SECOND_PUBLISHER: "true" } });
  await createUser(bellhop);
  [ada, bob] = await Promise.all([signInPerson(bellhop), signInPerson(bellhop)]);
  bootstrap = (method, path, body) => bellhop.api(method, `/api/v1/automation${path}`, body);
});
afterAll(() => bellhop.stop());

const strict = { nodes: [{ id: "ask", type: "approval", message: "?", by: "another" }], edges: [] };
const weak = { nodes: [{ id: "ask", type: "approval", message: "?" }], edges: [] };

async function refused(send: Send, id: string): Promise<void> {
  const problem = await problemOf(await send("POST", `/workflows/${id}/publish`), 403, "forbidden");
  expect(problem.errors?.map(({ path }) => path)).toEqual(["definition.nodes.0.by"]);
}

test("a draft that weakens an approval is published only by a person who did not change it", async () => {
  const id = await publishAs(ada.send, await saveAs(ada.send, strict));
  await replaceAs(ada.send, id, weak);
  const { secret } = await createToken(ada.browser, { permissions: ["automation:read", "automation:write"] });
  await refused(ada.send, id);
  await refused((method, path, body) => withBearer(bellhop, secret, method, `/api/v1/automation${path}`, body), id);
  await refused(bootstrap, id);
  await publishAs(bob.send, id);
});

test("unpublishing first, or another person's change to the draft, does not evade the rule", async () => {
  const id = await publishAs(ada.send, await saveAs(ada.send, strict));
  await ada.send("POST", `/workflows/${id}/unpublish`);
  await replaceAs(ada.send, id, weak);
  await refused(ada.send, id);
  await replaceAs(bob.send, id, weak);
  await refused(bob.send, id);
  await refused(ada.send, id);
});

test("a draft that an ownerless token weakened is published by no one until a person makes the change", async () => {
  const id = await publishAs(ada.send, await saveAs(ada.send, strict));
  const { secret } = await createOwnerlessToken(bellhop, { permissions: ["automation:read", "automation:write"] });
  await replaceAs(
    (method, path, body) => withBearer(bellhop, secret, method, `/api/v1/automation${path}`, body),
    id,
    weak,
  );
  await refused(ada.send, id);
  await refused(bob.send, id);
  await replaceAs(ada.send, id, strict);
  await publishAs(ada.send, id);
  await replaceAs(ada.send, id, weak);
  await publishAs(bob.send, id);
});

test("a draft that weakens nothing is published by the person who changed it", async () => {
  const id = await publishAs(ada.send, await saveAs(ada.send, weak));
  await replaceAs(ada.send, id, strict);
  await publishAs(ada.send, id);
});

test("without the setting everyone who may publish can publish such a draft", async () => {
  const other = await startApp();
  try {
    await createUser(other);
    const eve = await signInPerson(other);
    const id = await publishAs(eve.send, await saveAs(eve.send, strict));
    await replaceAs(eve.send, id, weak);
    await publishAs(eve.send, id);
  } finally {
    await other.stop();
  }
});

test("publishing warns of an approval that one enabled person could answer, and saving does not", async () => {
  const approvers = { people: [ada.id] };
  const definition = { nodes: [{ id: "ask", type: "approval", message: "?", by: "another", approvers }], edges: [] };
  const body = { name: "asks", trigger: { type: "manual" }, definition };
  const saved = await succeeded(await bob.send("POST", "/workflows", body), workflowSchema);
  expect(saved.warnings ?? []).toEqual([]);
  const published = await succeeded(await bob.send("POST", `/workflows/${saved.id}/publish`), workflowSchema);
  expect(published.warnings).toMatchObject([{ path: "definition.nodes.0.approvers" }]);
  expect(published.warnings?.[0]?.message).toContain(ada.email);
});
