import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import type { WorkflowVersionView, WorkflowView } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { createConnection, errorPathsOf, problemOf } from "../support/management-api.ts";
import { createToken, createUser, succeeded, withBearer } from "../support/people.ts";
import { replaceAs, saveAs, signInPerson } from "../support/signed-in-people.ts";
import type { Send, SignedInPerson } from "../support/signed-in-people.ts";

/** Who, when and why of versions, and making an earlier version live again. */
let bellhop: Service;
let ada: SignedInPerson;
let bob: SignedInPerson;
let connectionId: string;

beforeAll(async () => {
  bellhop = await startApp({ bindings: { REQUIRE_SECOND_PUBLISHER: "true" } });
  await createUser(bellhop);
  [ada, bob] = await Promise.all([signInPerson(bellhop, "admin"), signInPerson(bellhop)]);
  connectionId = (await createConnection(bellhop)).id;
});
afterAll(() => bellhop.stop());

const pause = (seconds: number) => ({ nodes: [{ id: "pause", type: "delay", seconds }], edges: [] });
const code = (script: string) => ({
  nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params: { script } }],
  edges: [],
});
const strict = { nodes: [{ id: "ask", type: "approval", message: "?", by: "another" }], edges: [] };
const weak = { nodes: [{ id: "ask", type: "approval", message: "?" }], edges: [] };

const publish = async (send: Send, id: string, body?: object): Promise<WorkflowView> =>
  succeeded(await send("POST", `/workflows/${id}/publish`, body), workflowSchema);
async function versionsOf(id: string): Promise<WorkflowVersionView[]> {
  return succeeded(await ada.send("GET", `/workflows/${id}/versions`), workflowVersionSchema.array());
}
/** Two versions, the second one live; returns the first one's id. */
async function twoVersions(first: object, second: object): Promise<{ id: string; firstId: string; secondId: string }> {
  const id = await saveAs(ada.send, first);
  const firstId = String((await publish(ada.send, id)).publishedVersionId);
  await replaceAs(ada.send, id, second);
  const secondId = String((await publish(ada.send, id)).publishedVersionId);
  return { id, firstId, secondId };
}

describe("who, when and why", () => {
  test("a version has its publisher, time and message, and so has the audit log", async () => {
    const id = await saveAs(ada.send, pause(1));
    await publish(ada.send, id, { message: "  Wait a second, see #12  " });
    const [version] = await versionsOf(id);
    expect(version).toMatchObject({ number: 1, publishedBy: `user:${ada.email}`, message: "Wait a second, see #12" });
    expect(Date.parse(version?.publishedAt ?? "")).toBeGreaterThan(0);
    const [row] = await query(bellhop, "select detail from audit_log where verb = 'publish' and subject_id = ?", [id]);
    expect(JSON.parse(String(row?.["detail"]))).toMatchObject({ name: "asks", message: "Wait a second, see #12" });
  });

  test("a token is the publisher by its own name, with its owner", async () => {
    const permissions = ["automation:read", "automation:write"] as const;
    const { secret } = await createToken(ada.browser, { name: "deploy", permissions });
    const id = await saveAs(ada.send, pause(2));
    await withBearer(bellhop, secret, "POST", `/api/v1/automation/workflows/${id}/publish`);
    expect((await versionsOf(id))[0]).toMatchObject({ publishedBy: `token:deploy (${ada.email})`, message: null });
  });

  test("an empty message counts as no message, and publishing an unchanged draft keeps the first message", async () => {
    const id = await saveAs(ada.send, pause(3));
    await publish(ada.send, id, { message: "  " });
    await publish(ada.send, id, { message: "again" });
    expect((await versionsOf(id)).map(({ message }) => message)).toEqual([null]);
  });

  test.each([
    ["a message of the wrong type", { message: 7 }, ["message"]],
    ["a message that is too long", { message: "x".repeat(1_001) }, ["message"]],
    ["a version of the wrong type", { versionId: [] }, ["versionId"]],
    ["an unknown version", { versionId: "wfv_none" }, ["versionId"]],
    ["an unknown field", { note: "x" }, ["note"]],
    ["a list", [], [""]],
  ])("%s is refused with its path", async (_what, body, paths) => {
    const id = await saveAs(ada.send, pause(4));
    expect(await errorPathsOf(await ada.send("POST", `/workflows/${id}/publish`, body))).toEqual(paths);
    expect(await versionsOf(id)).toEqual([]);
  });
});

describe("publishing an earlier version", () => {
  test("copies it to a new version, and the draft stays", async () => {
    const { id, firstId, secondId } = await twoVersions(pause(1), pause(2));
    const shown = await publish(ada.send, id, { versionId: firstId, message: "back" });
    expect(shown).toMatchObject({ published: true, definition: pause(2) });
    expect([firstId, secondId]).not.toContain(String(shown.publishedVersionId));
    const [third] = await versionsOf(id);
    expect(third).toMatchObject({ number: 3, message: "back", definition: pause(1) });
    expect(third?.id).toBe(String(shown.publishedVersionId));
  });

  test("that is the latest one makes it live after an unpublish, without a new version and safely twice", async () => {
    const { id, secondId } = await twoVersions(pause(1), pause(2));
    await ada.send("POST", `/workflows/${id}/unpublish`);
    for (let time = 0; time < 2; time++) {
      expect((await publish(ada.send, id, { versionId: secondId })).publishedVersionId).toBe(secondId);
    }
    expect(await versionsOf(id)).toHaveLength(2);
    const log = await query(bellhop, "select verb from audit_log where subject_id = ? order by id", [id]);
    expect(log.map(({ verb }) => verb)).toEqual(["create", "publish", "update", "publish", "unpublish", "publish"]);
  });

  test("another workflow's version is refused", async () => {
    const other = await twoVersions(pause(1), pause(2));
    const id = await saveAs(ada.send, pause(1));
    const answer = await ada.send("POST", `/workflows/${id}/publish`, { versionId: other.firstId });
    expect(await errorPathsOf(answer)).toEqual(["versionId"]);
  });

  test("a draft that equals the version that went live again makes no new version", async () => {
    const { id, firstId } = await twoVersions(pause(1), pause(2));
    const { publishedVersionId } = await publish(ada.send, id, { versionId: firstId });
    await replaceAs(ada.send, id, pause(1));
    expect((await publish(ada.send, id)).publishedVersionId).toBe(publishedVersionId);
    expect(await versionsOf(id)).toHaveLength(3);
  });

  test("code that differs from the live version needs code:write", async () => {
    const { id, firstId, secondId } = await twoVersions(code("true"), code("false"));
    const permissions = ["automation:read", "automation:write"] as const;
    const { secret } = await createToken(ada.browser, { permissions });
    const send = (body?: object) =>
      withBearer(bellhop, secret, "POST", `/api/v1/automation/workflows/${id}/publish`, body);
    const problem = await problemOf(await send({ versionId: firstId }), 403, "forbidden");
    expect(problem.errors?.map(({ path }) => path)).toEqual(["definition.nodes.0"]);
    await publish(ada.send, id, { versionId: firstId });
    await problemOf(await send(), 403, "forbidden");
    await problemOf(await send({ versionId: secondId }), 403, "forbidden");
    // The version that was live last counts, also when none is.
    await succeeded(
      await withBearer(bellhop, secret, "POST", `/api/v1/automation/workflows/${id}/unpublish`),
      workflowSchema,
    );
    await problemOf(await send(), 403, "forbidden");
    await problemOf(await send({ versionId: secondId }), 403, "forbidden");
  });

  test("a connection that is gone is refused with its path", async () => {
    const gone = (await createConnection(bellhop)).id;
    const action = { id: "run", type: "action", action: "script.bash", connectionId: gone, params: { script: "id" } };
    const { id, firstId } = await twoVersions({ nodes: [action], edges: [] }, pause(2));
    await ada.send("DELETE", `/connections/${gone}`);
    const answer = await ada.send("POST", `/workflows/${id}/publish`, { versionId: firstId });
    expect(await errorPathsOf(answer)).toEqual(["definition.nodes.0.connectionId"]);
  });

  test("a version with less approval is refused, and its content counts as changed when it is the draft", async () => {
    const { id, firstId } = await twoVersions(weak, strict);
    const problem = await problemOf(
      await bob.send("POST", `/workflows/${id}/publish`, { versionId: firstId }),
      403,
      "forbidden",
    );
    expect(problem.errors?.map(({ path }) => path)).toEqual(["definition.nodes.0.by"]);
    await replaceAs(ada.send, id, weak);
    await problemOf(await ada.send("POST", `/workflows/${id}/publish`), 403, "forbidden");
    await publish(bob.send, id);
  });

  test("after going back, the people who changed later versions still count as changing the draft", async () => {
    const id = await saveAs(ada.send, strict);
    const firstId = String((await publish(ada.send, id)).publishedVersionId);
    await replaceAs(ada.send, id, weak);
    await publish(bob.send, id);
    await publish(ada.send, id, { versionId: firstId });
    await problemOf(await ada.send("POST", `/workflows/${id}/publish`), 403, "forbidden");
    await publish(bob.send, id);
  });
});
