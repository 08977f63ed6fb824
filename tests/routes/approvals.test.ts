import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { createWebhookWorkflow } from "../support/management.ts";
import { errorPathsOf, problemOf } from "../support/management-api.ts";
import { createOwnerlessToken, createToken, createUser, withBearer } from "../support/people.ts";
import {
  answerAs,
  asking,
  childOf,
  executeAs,
  publishAs,
  replaceAs,
  retryAs,
  saveAs,
  signInPerson,
} from "../support/signed-in-people.ts";
import type { Send, SignedInPerson } from "../support/signed-in-people.ts";
import { query } from "../support/database.ts";

/** Who may answer an approval, and every way around that rule. */
let bellhop: Bellhop;
let ada: SignedInPerson;
let bob: SignedInPerson;
let cid: SignedInPerson;
let bootstrap: Send;

beforeAll(async () => {
  bellhop = await startBellhop();
  await createUser(bellhop);
  [ada, bob, cid] = await Promise.all([signInPerson(bellhop), signInPerson(bellhop), signInPerson(bellhop)]);
  bootstrap = (method, path, body) => bellhop.api(method, `/api/v1/automation${path}`, body);
});
afterAll(() => bellhop.stop());

const asks = (more: JsonObject = { by: "another" }, message = "May it?") => ({
  nodes: [{ id: "ask", type: "approval", message, ...more }],
  edges: [],
});
const calls = (workflowId: string, before: readonly JsonObject[] = []) => ({
  nodes: [...before, { id: "sub", type: "workflow", workflowId }],
  edges: before.map(({ id }) => ({ from: id, to: "sub", on: "approved" })),
});

/** A published workflow. Cid never saves or publishes one. */
async function published(definition: unknown = asks(), save: Send = bootstrap, publish: Send = save): Promise<string> {
  return publishAs(publish, await saveAs(save, definition));
}

async function refused(send: Send, executionId: string, why: string): Promise<void> {
  const { detail } = await problemOf(await answerAs(bellhop, send, executionId), 403, "forbidden");
  expect(detail).toContain(why);
}

async function allowed(send: Send, executionId: string): Promise<void> {
  const response = await answerAs(bellhop, send, executionId);
  expect({ status: response.status, body: response.ok ? "" : await response.text() }).toEqual({
    status: 200,
    body: "",
  });
}

async function tokenOf(person: SignedInPerson): Promise<Send> {
  const permissions = ["automation:read", "automation:execute", "automation:approve"] as const;
  const { secret } = await createToken(person.browser, { permissions });
  return (method, path, body) => withBearer(bellhop, secret, method, `/api/v1/automation${path}`, body);
}

const STARTED = "You started this execution";
const CHANGED = "You changed what this execution runs";
const TOKEN = "A token cannot answer this approval";

describe("an approval by another person", () => {
  test("refuses either answer from the person who started the execution, and accepts anyone else's", async () => {
    const executionId = await executeAs(ada.send, await published());
    await refused(ada.send, executionId, STARTED);
    await problemOf(await answerAs(bellhop, ada.send, executionId, "rejected"), 403, "forbidden");
    expect((await asking(bellhop, executionId)).waitingFor).toBe(
      `someone's approval, by another person than ${ada.email}`,
    );
    await allowed(bob.send, executionId);
  });

  test("refuses the person whose token started the execution", async () => {
    const executionId = await executeAs(await tokenOf(ada), await published());
    await refused(ada.send, executionId, STARTED);
    await refused(await tokenOf(ada), executionId, TOKEN);
    await allowed(bob.send, executionId);
  });

  test("refuses every token, also one of a person who could answer, and the bootstrap token", async () => {
    const executionId = await executeAs(ada.send, await published());
    await refused(await tokenOf(bob), executionId, TOKEN);
    await refused(bootstrap, executionId, TOKEN);
    await allowed(bob.send, executionId);
  });

  test("in a sub-workflow refuses the person who started the parent", async () => {
    const executionId = await executeAs(ada.send, await published(calls(await published())));
    const child = await childOf(bellhop, executionId);
    await refused(ada.send, child, STARTED);
    await allowed(bob.send, child);
  });

  test("in a retry refuses everyone who started an earlier execution, and the person who retried", async () => {
    const first = await executeAs(ada.send, await published());
    await answerAs(bellhop, bob.send, first, "rejected");
    const second = await retryAs(bob.send, first);
    await refused(ada.send, second, STARTED);
    await refused(bob.send, second, STARTED);
    await answerAs(bellhop, cid.send, second, "rejected");
    const third = await retryAs(bootstrap, second, { from: "start" });
    await refused(ada.send, third, STARTED);
    await allowed(cid.send, third);
  });

  test("in a run that a webhook started accepts everyone until a person retries the run", async () => {
    const webhook = await createWebhookWorkflow(bellhop, asks());
    const { data } = (await (await webhook.ring()).json()) as { data: { executionId: string } };
    await answerAs(bellhop, ada.send, data.executionId, "rejected");
    const again = await retryAs(ada.send, data.executionId);
    await refused(ada.send, again, STARTED);
    await allowed(bob.send, again);
  });
});

describe("an approval in a changed workflow", () => {
  test("refuses the person who changed and published the workflow, and accepts anyone else", async () => {
    const executionId = await executeAs(ada.send, await published(asks(), bob.send));
    await refused(bob.send, executionId, CHANGED);
    await allowed(cid.send, executionId);
  });

  test("accepts the person who changed the workflow when another person published it", async () => {
    const executionId = await executeAs(ada.send, await published(asks(), bob.send, cid.send));
    await allowed(bob.send, executionId);
  });

  test("still refuses the person who changed the workflow after an ownerless token or unknown publisher", async () => {
    const id = await published(asks(), bob.send, bootstrap);
    const first = await executeAs(ada.send, id);
    await refused(bob.send, first, CHANGED);
    await query(bellhop, "update workflow_versions set published_by_person = null where workflow_id = ?", [id]);
    await refused(bob.send, first, CHANGED);
  });

  test("refuses the person who published the change of an ownerless token", async () => {
    const id = await published(asks(), bob.send, cid.send);
    const { secret } = await createOwnerlessToken(bellhop, { permissions: ["automation:read", "automation:write"] });
    const ownerless: Send = (method, path, body) =>
      withBearer(bellhop, secret, method, `/api/v1/automation${path}`, body);
    await replaceAs(ownerless, id, asks(undefined, "Changed?"));
    const executionId = await executeAs(ada.send, await publishAs(bob.send, id));
    await refused(bob.send, executionId, CHANGED);
    await allowed(cid.send, executionId);
  });

  test("refuses the person who imported the workflow", async () => {
    const id = await published();
    const file = {
      apiVersion: "bellhop/v1",
      kind: "Workflow",
      name: "asks",
      trigger: { type: "manual" },
      definition: asks({ by: "another" }, "Imported?"),
    };
    expect((await bob.send("POST", `/workflows/import?workflowId=${id}`, file)).status).toBe(200);
    await publishAs(bob.send, id);
    await refused(bob.send, await executeAs(ada.send, id), CHANGED);
  });

  test("refuses the person who changed the workflow after another person published it unchanged", async () => {
    const id = await published(asks(), bob.send);
    await cid.send("POST", `/workflows/${id}/unpublish`);
    await publishAs(cid.send, id);
    await refused(bob.send, await executeAs(ada.send, id), CHANGED);
  });

  test("judges the version that runs, not the published one", async () => {
    const id = await published(asks(), bob.send);
    const old = await executeAs(ada.send, id);
    await replaceAs(cid.send, id, asks({ by: "another" }, "Newer?"));
    await publishAs(cid.send, id);
    await refused(bob.send, old, CHANGED);
    await allowed(bob.send, await executeAs(ada.send, id));
    await answerAs(bellhop, cid.send, old, "rejected");
    await refused(bob.send, await retryAs(ada.send, old), CHANGED);
  });

  test("counts changes of earlier versions that no one else published", async () => {
    const id = await published(asks(), bob.send);
    await replaceAs(ada.send, id, asks({ by: "another" }, "Twice?"));
    await publishAs(bob.send, id);
    const executionId = await executeAs(cid.send, id);
    await refused(bob.send, executionId, CHANGED);
    await allowed(ada.send, executionId);
  });

  test("counts changes of the sub-workflows that it starts, and of its parent", async () => {
    const inner = await published({ nodes: [{ id: "wait", type: "delay", seconds: 60 }], edges: [] }, bob.send);
    const above = await executeAs(ada.send, await published(calls(inner, asks().nodes)));
    await refused(bob.send, above, CHANGED);
    await allowed(cid.send, above);
    const outer = await executeAs(ada.send, await published(calls(await published()), bob.send));
    const child = await childOf(bellhop, outer);
    await refused(bob.send, child, CHANGED);
    await allowed(cid.send, child);
  });

  test("counts changes of sub-workflows that its parent starts later", async () => {
    const later = await published({ nodes: [{ id: "wait", type: "delay", seconds: 60 }], edges: [] }, bob.send);
    const outer = {
      nodes: [
        { id: "sub", type: "workflow", workflowId: await published() },
        { id: "later", type: "workflow", workflowId: later },
      ],
      edges: [{ from: "sub", to: "later", on: "success" }],
    };
    const child = await childOf(bellhop, await executeAs(ada.send, await published(outer)));
    await refused(bob.send, child, CHANGED);
    await allowed(cid.send, child);
  });
});

test("a retried sub-workflow still counts changes of the workflow that had started it", async () => {
  const child = await childOf(bellhop, await executeAs(ada.send, await published(calls(await published()), bob.send)));
  await answerAs(bellhop, cid.send, child, "rejected");
  const again = await retryAs(ada.send, child);
  await refused(bob.send, again, CHANGED);
  await allowed(cid.send, again);
});

test("a sub-workflow is neither retried nor approved when the execution that had started it was deleted", async () => {
  const child = await childOf(bellhop, await executeAs(ada.send, await published(calls(await published()), bob.send)));
  await answerAs(bellhop, cid.send, child, "rejected");
  const again = await retryAs(ada.send, child);
  const deletion = "delete from executions where id = (select parent_execution_id from executions where id = ?)";
  await query(bellhop, deletion, [child]);
  const retry = await ada.send("POST", `/executions/${child}/retry`, {});
  for (const answer of [retry, await answerAs(bellhop, bob.send, again)]) {
    expect((await problemOf(answer, 409, "conflict")).detail).toContain("it is not known who may approve");
  }
});

describe("an approval with approvers", () => {
  test("accepts only a listed person or role, including the starter and tokens", async () => {
    const approvers = { roles: ["admin"], people: [bob.id] };
    const id = await published(asks({ approvers }));
    const executionId = await executeAs(ada.send, id);
    await refused(ada.send, executionId, `Only an administrator or ${bob.email} may answer`);
    expect((await asking(bellhop, executionId)).waitingFor).toBe(
      `someone's approval, by an administrator or ${bob.email}`,
    );
    await allowed(await tokenOf(bob), executionId);
    await allowed(bootstrap, await executeAs(ada.send, id));
    await allowed(bob.send, await executeAs(bob.send, id));
  });

  test("uses the role that the person has now", async () => {
    const dee = await signInPerson(bellhop, "editor");
    const executionId = await executeAs(ada.send, await published(asks({ approvers: { roles: ["admin"] } })));
    await refused(dee.send, executionId, "Only an administrator may answer");
    await bootstrap("PATCH", `/users/${dee.id}`, { role: "admin" });
    await allowed(dee.send, executionId);
  });

  test('with the rule "another person" refuses the starter and everyone who is not listed', async () => {
    const approvers = { people: [ada.id, bob.id] };
    const executionId = await executeAs(ada.send, await published(asks({ by: "another", approvers })));
    await refused(ada.send, executionId, STARTED);
    await refused(cid.send, executionId, "Only ");
    expect((await asking(bellhop, executionId)).waitingFor).toContain(`, but not by ${ada.email}`);
    await allowed(bob.send, executionId);
  });

  test("is saved only with existing users and at least one approver", async () => {
    const paths = async (approvers: unknown) =>
      errorPathsOf(
        await ada.send("POST", "/workflows", {
          name: "asks",
          trigger: { type: "manual" },
          definition: { nodes: [{ id: "ask", type: "approval", message: "?", approvers }], edges: [] },
        }),
      );
    const at = "definition.nodes.0.approvers";
    expect(await paths({ people: [ada.id, "usr_none"] })).toEqual([`${at}.people.1`]);
    expect(await paths({})).toEqual([at]);
    expect(await paths({ roles: [] })).toEqual([`${at}.roles`]);
    expect(await paths({ roles: ["owner"] })).toEqual([`${at}.roles.0`]);
    // A viewer may not approve anything.
    expect(await paths({ roles: ["viewer"] })).toEqual([`${at}.roles.0`]);
  });
});

test("an approval without a rule accepts the starter and tokens", async () => {
  const id = await published(asks({}));
  await allowed(ada.send, await executeAs(ada.send, id));
  await allowed(bootstrap, await executeAs(bootstrap, id));
});
