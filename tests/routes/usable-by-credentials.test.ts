import { describe, expect, test } from "bun:test";
import { startForCredentials } from "../support/credentials.ts";
import { targetsOf } from "../support/credential-targets.ts";
import { call, createWorkflow } from "../support/management-api.ts";

/** A credential is sealed together with the workflows that its connection lists. */
const { bellhop, use } = await startForCredentials();
const targets = targetsOf(bellhop);

const SSH = { host: "db-1.internal", port: 22, username: "deploy", authMethod: "password" };
const set = async (id: string, usableBy: object | null) =>
  expect((await call(bellhop, "PATCH", `/connections/${id}`, { usableBy })).status).toBe(200);

describe("a credential whose connection names only workflows", () => {
  test("has to be delivered again with the list in its target, and a change of the list says why", async () => {
    const [one, other] = [await createWorkflow(bellhop), await createWorkflow(bellhop)].map(({ id }) => id);
    const workflows = [one ?? "", other ?? ""].toSorted();
    const { id, agent } = await targets.delivered("ssh", SSH);
    await set(id, { workflows });
    expect((await use.recipientsOf(id))[0]?.target).toEqual([{ type: "ssh", ...SSH, workflows }]);
    const [status, error] = await targets.statusOf(id);
    expect(status).toBe("pending");
    expect(error).toContain("list of workflows changed after this credential was delivered");
    const { version, target } = await targets.deliverTo(agent, id);
    await agent.client.heartbeat([], [{ connectionId: id, version, target }]);
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
    await set(id, { workflows: workflows.toReversed() });
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
    await set(id, { workflows: workflows.slice(1) });
    expect((await targets.statusOf(id))[0]).toBe("pending");
  });

  test("stays delivered if people or roles are named, too: an agent cannot know the publisher", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    const { id } = await targets.delivered("ssh", SSH);
    await set(id, { roles: ["admin"], workflows: [workflowId] });
    expect((await use.recipientsOf(id))[0]?.target).toEqual([{ type: "ssh", ...SSH }]);
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
    await set(id, null);
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
  });
});
