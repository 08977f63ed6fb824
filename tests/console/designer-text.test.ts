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
  workflows: [{ id: "wf_1", name: "Tell the team" }],
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
      { id: "tell", type: "workflow", workflowId: "wf_1" },
    ],
    edges: [{ from: "run", to: "tell", on: "success" }],
    layout: { run: { x: 0, y: 40 } },
  },
};

describe("the draft as text", () => {
  test("reads back as itself, and tells the names of what it uses", () => {
    const text = writeDraft(draft, names);
    expect(text).toContain("connections:\n  con_1:\n    name: Web servers\n    type: script\n");
    const read = readDraft(text, names);
    expect(read.ok && isSameDraft(read.draft, draft)).toBe(true);
  });

  test("takes a connection and a workflow by a word of its own", () => {
    const text = writeDraft(draft, names).replaceAll("con_1", "web").replaceAll("wf_1", "team");
    const read = readDraft(text, names);
    expect(read.ok && isSameDraft(read.draft, draft)).toBe(true);
  });

  test("leaves a name that two have as it stands, for the check to find", () => {
    const text = writeDraft(draft, names).replaceAll("con_1", "web").replace("name: Web servers", "name: Twins");
    const read = readDraft(text.replace("type: script\n", "type: ssh\n"), names);
    expect(read.ok ? read.draft.definition.nodes[0] : read.errors).toMatchObject({ connectionId: "web" });
  });

  test.each([
    ["what is no YAML", (text: string) => text.replace("edges:", "edges: ["), "is not YAML"],
    ["an unknown field", (text: string) => text.replace("  timeoutSeconds", "  timeoutSecond"), "timeoutSecond"],
    ["a node of no type", (text: string) => text.replace("type: workflow", "type: teleport"), "type"],
    ["another kind of file", (text: string) => text.replace("kind: Workflow", "kind: Pod"), "kind"],
    ["nothing", () => "", "is empty"],
  ])("of %s tells the line", (_what, spoil, expected) => {
    const read = readDraft(spoil(writeDraft(draft, names)), names);
    expect(read.ok).toBe(false);
    if (read.ok) return;
    expect(read.errors.map(({ path, message }) => `${path} ${message}`).join("\n")).toContain(expected);
    for (const { line } of read.errors) expect(line).toBeGreaterThan(0);
  });
});

describe("the text follows the draft", () => {
  const changed: Draft = { ...draft, name: "Restart twice" };
  const written = writeDraft(draft, names);

  test("by the places that differ alone", () => {
    const follows = followDraft(written, writeDraft(changed, names), changed, names, false);
    if (follows.type !== "changes") throw new Error(follows.type);
    expect(follows.changes).toEqual([
      { from: written.indexOf("Restart") + 7, to: written.indexOf("Restart") + 7, insert: " twice" },
    ]);
  });

  test("not where it says the same in somebody's own words", () => {
    const own = `# mine\n${written.replace("name: Restart", 'name: "Restart"')}`;
    expect(followDraft(own, written, draft, names, true)).toEqual({ type: "stays" });
  });

  test("not while it is being written and cannot be read", () => {
    const half = written.replace("nodes:", "nodes: [");
    expect(followDraft(half, writeDraft(changed, names), changed, names, true)).toEqual({ type: "differs" });
  });
});

describe("what this browser keeps", () => {
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

  test("is one person's, of one workflow", () => {
    const store = storage();
    writeKept(store, keptKey("usr_1", "wf_1"), { at: 1, revision: 3, draft });
    expect(readKept(store, keptKey("usr_1", "wf_1"))).toEqual({ at: 1, revision: 3, draft });
    expect(readKept(store, keptKey("usr_2", "wf_1"))).toBeNull();
    expect(readKept(store, keptKey("usr_1", null))).toBeNull();
    dropKept(store, keptKey("usr_1", "wf_1"));
    expect(readKept(store, keptKey("usr_1", "wf_1"))).toBeNull();
  });

  test.each([["{"], ["null"], ["{}"], ['{"at":1,"draft":{}}'], ['{"at":1,"draft":{"trigger":{},"definition":{}}}']])(
    "is nothing where it cannot be read: %s",
    (text) => {
      const store = storage();
      store.setItem("key", text);
      expect(readKept(store, "key")).toBeNull();
    },
  );

  test("is forgotten by the page that kept it, not by another tab that has saved meanwhile", () => {
    const store = storage();
    const theirs = { at: 1, by: "tab 2", revision: 3, draft: { ...draft, name: "Theirs" } };
    writeKept(store, "key", theirs);
    dropOwn(store, "key", "tab 1", draft);
    expect(readKept(store, "key")).toEqual(theirs);
    dropOwn(store, "key", "tab 2", draft);
    expect(readKept(store, "key")).toBeNull();
    // What says the same as what is saved is nothing to come back to, unless there is a text beside it.
    writeKept(store, "key", { ...theirs, draft, text: "kind: [" });
    dropOwn(store, "key", "tab 1", draft);
    expect(readKept(store, "key")?.text).toBe("kind: [");
    writeKept(store, "key", { ...theirs, draft });
    dropOwn(store, "key", "tab 1", draft);
    expect(readKept(store, "key")).toBeNull();
  });

  test("is told to be nothing where the browser is full", () => {
    const large: Draft = { ...draft, description: "x".repeat(20_000) };
    expect(writeKept(storage(), "key", { at: 1, revision: null, draft: large })).toBe(false);
  });
});

describe("what the service is read to have meanwhile", () => {
  const other: Draft = { ...draft, name: "Theirs" };
  test.each([
    ["is nothing new", { draft: other, revision: 3 }, false, true, "nothing"],
    ["was activated only", { draft, revision: 4 }, false, true, "noted"],
    ["is somebody else's, and nothing was changed here", { draft: other, revision: 4 }, false, false, "taken"],
    ["is somebody else's, and something was changed here", { draft: other, revision: 4 }, false, true, "conflict"],
    // What was restored began before theirs: that theirs is known here does not make it one's own.
    ["is known here, and newer than what was restored", { draft, revision: 4 }, true, true, "conflict"],
  ] as const)("%s", (_name, fresh, isBehind, isDirty, verdict) => {
    expect(judgeFresh(fresh, { draft, revision: 3, isBehind }, isDirty)).toBe(verdict);
  });
});
