import { expect, test } from "bun:test";
import { draftOf, storedDraft, withoutEmptyFields } from "../../schema/contract/draft.ts";
import { workflowInputSchema } from "../../schema/contract/management.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";

const FIELDS = Object.keys(workflowInputSchema.shape);
const draft: WorkflowInput = { definition: { nodes: [], edges: [] }, trigger: { type: "manual" }, name: "" };

test("a stored draft has every field of the contract, in order, and no other field of the row", () => {
  const row = { id: "wf_1", ...draft };
  expect(Object.keys(storedDraft(row))).toEqual(FIELDS);
  expect(storedDraft(row)).toEqual({ ...draft, description: null, runbookUrl: null, tags: null, retention: null });
});

test("a row's draft has all of its fields except null ones", () => {
  const runbookUrl = "https://wiki.example.com/shop";
  const row = {
    id: "wf_1",
    ...draft,
    description: "Restarts the shop.",
    runbookUrl,
    tags: ["shop"],
    retention: { failedDays: 9 },
  };
  expect(Object.keys(draftOf(row))).toEqual(FIELDS);
  expect(draftOf({ ...row, description: null, runbookUrl: null, tags: null, retention: null })).toEqual(draft);
  expect(draftOf({ ...row, description: "" })).toEqual({
    ...draft,
    description: "",
    runbookUrl,
    tags: ["shop"],
    retention: { failedDays: 9 },
  });
});

test("an empty optional field is omitted, an empty name is not", () => {
  expect(withoutEmptyFields({ ...draft, description: "" })).toEqual(draft);
  expect(withoutEmptyFields({ ...draft, description: null, tags: [] })).toEqual(draft);
});
