import { describe, expect, test } from "bun:test";
import { isSameDraft } from "../../console/views/designer/model/same.ts";
import type { Draft } from "../../console/views/designer/model/commands.ts";
import { readDraft, writeDraft } from "../../console/views/designer/yaml/draft-text.ts";
import type { Names } from "../../worker/domain/workflow-file/file-of.ts";
import { followDraft } from "../../console/views/designer/yaml/sync.ts";
import { judgeFresh } from "../../console/views/designer/save/judge-fresh.ts";
import { dropKept, dropOwn, keptKey, readKept, writeKept } from "../../console/views/designer/save/kept.ts";

const names: Names = {
  connections: [
    { id: "con_1", name: "Web servers", type: "script" },
    { id: "con_2", name: "Twins", type: "ssh" },
    { id: "con_3", name: "Twins", type: "ssh" },
  ],
  workflows: [{ id: "wf_1", name: "Notify the team" }],
  limits: [{ id: "lim_1", name: "Restarts" }],
};
const draft: Draft = {
  name: "Restart",
  trigger: { type: "webhook" },
  definition: {
    nodes: [
      {
        id: "run",
        type: "action",
        action: "script.bash",
        connectionId: "con_1",
        params: { script: "set -eu\necho {{webhook.x}}\n" },
        timeoutSeconds: 300,
      },
      { id: "notify", type: "workflow", workflowId: "wf_1" },
    ],
    edges: [{ from: "run", to: "notify", on: "success" }],
    layout: { run: { x: 0, y: 40 } },
  },
};

describe("the draft as YAML", () => {
  test("reads back as the same draft, and has the names of its connections and workflows", () => {
    const text = writeDraft(draft, names);
    expect(text).toContain("connections:\n  con_1:\n    name: Web servers\n    type: script\n");
    const read = readDraft(text, names);
    expect(read.ok && isSameDraft(read.draft, draft)).toBe(true);
  });

  test("may use its own keys for a connection and a workflow", () => {
    const text = writeDraft(draft, names).replaceAll("con_1", "web").replaceAll("wf_1", "team");
    const read = readDraft(text, names);
    expect(read.ok && isSameDraft(read.draft, draft)).toBe(true);
  });

  test("may have problems, such as an empty list of nodes or a time of 0 s", () => {
    const unfinished: Draft = {
      name: "Unfinished",
      trigger: { type: "cron", expression: "" },
      definition: { nodes: [{ id: "wait", type: "delay", seconds: 0 }], edges: [] },
    };
    const empty: Draft = { ...unfinished, definition: { nodes: [], edges: [] } };
    for (const one of [unfinished, empty]) expect(readDraft(writeDraft(one))).toMatchObject({ ok: true, draft: one });
  });

  test("keeps a key whose name fits two connections, for the check to report", () => {
    const text = writeDraft(draft, names).replaceAll("con_1", "web").replace("name: Web servers", "name: Twins");
    const read = readDraft(text.replace("type: script\n", "type: ssh\n"), names);
    expect(read.ok ? read.draft.definition.nodes[0] : read.errors).toMatchObject({ connectionId: "web" });
  });

  test.each([
    ["invalid YAML", (text: string) => text.replace("edges:", "edges: ["), "is not YAML"],
    ["an unknown field", (text: string) => text.replace("  timeoutSeconds", "  timeoutSecond"), "timeoutSecond"],
    ["a node of an unknown type", (text: string) => text.replace("type: workflow", "type: teleport"), "type"],
    ["another kind of file", (text: string) => text.replace("kind: Workflow", "kind: Pod"), "kind"],
    ["an empty file", () => "", "is empty"],
  ])("with %s is refused with the line of the error", (_what, spoil, expected) => {
    const read = readDraft(spoil(writeDraft(draft, names)), names);
    expect(read.ok).toBe(false);
    if (read.ok) return;
    expect(read.errors.map(({ path, message }) => `${path} ${message}`).join("\n")).toContain(expected);
    for (const { line } of read.errors) expect(line).toBeGreaterThan(0);
  });
});

describe("the YAML text", () => {
  const changed: Draft = { ...draft, name: "Restart twice" };
  const written = writeDraft(draft, names);

  test("follows the draft by changing only the parts that differ", () => {
    const follows = followDraft(written, writeDraft(changed, names), changed, names, false);
    if (follows.type !== "changes") throw new Error(follows.type);
    expect(follows.changes).toEqual([
      { from: written.indexOf("Restart") + 7, to: written.indexOf("Restart") + 7, insert: " twice" },
    ]);
  });

  test("stays as it was written where it means the same draft", () => {
    const own = `# mine\n${written.replace("name: Restart", 'name: "Restart"')}`;
    expect(followDraft(own, written, draft, names, true)).toEqual({ type: "stays" });
  });

  test("stays while it is being written and cannot be read", () => {
    const half = written.replace("nodes:", "nodes: [");
    expect(followDraft(half, writeDraft(changed, names), changed, names, true)).toEqual({ type: "differs" });
  });
});

describe("the unsaved draft in the browser's storage", () => {
  const storage = (): Storage => {
    const held = new Map<string, string>();
    return {
      get length() {
        return held.size;
      },
      clear: () => held.clear(),
      getItem: (key) => held.get(key) ?? null,
      key: () => null,
      removeItem: (key) => void held.delete(key),
      setItem: (key, value) => {
        if (value.length > 10_000) throw new Error("full");
        held.set(key, value);
      },
    };
  };

  test("belongs to one person and one workflow", () => {
    const store = storage();
    writeKept(store, keptKey("usr_1", "wf_1"), { at: 1, revision: 3, draft });
    expect(readKept(store, keptKey("usr_1", "wf_1"))).toEqual({ at: 1, revision: 3, draft });
    expect(readKept(store, keptKey("usr_2", "wf_1"))).toBeNull();
    expect(readKept(store, keptKey("usr_1", "wf_2"))).toBeNull();
    dropKept(store, keptKey("usr_1", "wf_1"));
    expect(readKept(store, keptKey("usr_1", "wf_1"))).toBeNull();
  });

  test.each([["{"], ["null"], ["{}"], ['{"at":1,"draft":{}}'], ['{"at":1,"draft":{"trigger":{},"definition":{}}}']])(
    "is null when it cannot be read: %s",
    (text) => {
      const store = storage();
      store.setItem("key", text);
      expect(readKept(store, "key")).toBeNull();
    },
  );

  test("is dropped by the page that stored it, not by another tab that saves", () => {
    const store = storage();
    const theirs = { at: 1, by: "tab 2", revision: 3, draft: { ...draft, name: "Theirs" } };
    writeKept(store, "key", theirs);
    dropOwn(store, "key", "tab 1", draft);
    expect(readKept(store, "key")).toEqual(theirs);
    dropOwn(store, "key", "tab 2", draft);
    expect(readKept(store, "key")).toBeNull();
    // A draft equal to the saved one is not worth restoring, unless there is unread text with it.
    writeKept(store, "key", { ...theirs, draft, text: "kind: [" });
    dropOwn(store, "key", "tab 1", draft);
    expect(readKept(store, "key")?.text).toBe("kind: [");
    writeKept(store, "key", { ...theirs, draft });
    dropOwn(store, "key", "tab 1", draft);
    expect(readKept(store, "key")).toBeNull();
  });

  test("is reported as not stored when the storage is full", () => {
    const large: Draft = { ...draft, description: "x".repeat(20_000) };
    expect(writeKept(storage(), "key", { at: 1, revision: 1, draft: large })).toBe(false);
  });
});

describe("a workflow that is read again while it is edited", () => {
  const other: Draft = { ...draft, name: "Theirs" };
  test.each([
    ["is ignored when it has no new revision", { draft: other, revision: 3 }, false, true, "nothing"],
    ["only updates the revision when the draft is the same", { draft, revision: 4 }, false, true, "noted"],
    ["replaces the draft when nothing was changed here", { draft: other, revision: 4 }, false, false, "taken"],
    ["is a conflict when both sides have changed", { draft: other, revision: 4 }, false, true, "conflict"],
    // The restored changes are older than the other person's save, also when that save is the draft known here.
    ["is a conflict when it is newer than the restored changes", { draft, revision: 4 }, true, true, "conflict"],
  ] as const)("%s", (_name, fresh, isBehind, isDirty, verdict) => {
    expect(judgeFresh(fresh, { draft, revision: 3, isBehind }, isDirty)).toBe(verdict);
  });
});
