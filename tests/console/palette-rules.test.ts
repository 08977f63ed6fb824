import { expect, test } from "bun:test";
import { idIn } from "../../console/app/palette/ids.ts";
import { creatingEntries, pageEntries } from "../../console/app/palette/entries.ts";
import { bestMatches } from "../../console/app/palette/match.ts";
import type { Entry } from "../../console/app/palette/match.ts";
import { ROLE_PERMISSIONS } from "../../schema/contract/people.ts";

const labels = (entries: readonly Entry[]) => entries.map(({ label }) => label);
const things: Entry[] = [
  { key: "1", label: "Restart web", group: "workflow", run: { href: "/1" } },
  { key: "2", label: "Run Restart web", group: "action", run: { href: "/2" } },
  { key: "3", label: "Prestart checks", group: "workflow", run: { href: "/3" } },
  { key: "4", label: "web-1", group: "agent", words: "shop", run: { href: "/4" } },
  { key: "5", label: "Overview", group: "page", run: { href: "/5" } },
];

test.each<[string, string, string[]]>([
  ["the start of a label before the start of a word", "web", ["web-1", "Restart web", "Run Restart web"]],
  ["parts inside a word, the shortest label first", "start", ["Restart web", "Prestart checks", "Run Restart web"]],
  ["words in any order", "web res", ["Restart web", "Run Restart web"]],
  ["a command by its verb", "run web", ["Run Restart web"]],
  ["letters in order, from the start of a word", "ovw", ["Overview"]],
  ["upper case and punctuation", "WEB-1", ["web-1"]],
  ["another word of the entry", "shop", ["web-1"]],
  ["nothing when one word is missing", "web cellar", []],
  ["nothing for marks alone", "-", []],
])("the palette finds %s", (_, typed, expected) => {
  expect(labels(bestMatches(things, typed, 10))).toEqual(expected);
});

const UUID = "0198c0de-1111-7222-8333-444455556666";
test.each<[string, string, ReturnType<typeof idIn>]>([
  ["an id alone", `exe_${UUID}`, { kind: "execution", id: `exe_${UUID}`, isWhole: true }],
  [
    "an id in an address",
    `https://b.example/workflows/wf_${UUID}?tab=versions`,
    { kind: "workflow", id: `wf_${UUID}`, isWhole: true },
  ],
  ["an id in a line of a log", `agent agt_${UUID}: gone`, { kind: "agent", id: `agt_${UUID}`, isWhole: true }],
  ["a part of an id", "inc_0198c0de-11", { kind: "incident", id: "inc_0198c0de-11", isWhole: false }],
  ["the id of another system", `abc_${UUID}`, null],
  ["a name with an underscore", "run_backup_daily", null],
  ["a name of hexadecimal letters", "run_facade_x", null],
])("the palette recognises %s", (_, typed, expected) => {
  expect(idIn(typed)).toEqual(expected);
});

test("the palette offers only pages and commands that the person may use", () => {
  const offered = (role: keyof typeof ROLE_PERMISSIONS) =>
    labels([...pageEntries(ROLE_PERMISSIONS[role]), ...creatingEntries(ROLE_PERMISSIONS[role])]);
  expect(offered("viewer")).not.toContain("New workflow");
  expect(offered("viewer")).not.toContain("Settings: Users");
  expect(offered("editor")).toContain("New workflow");
  expect(offered("editor")).not.toContain("New agent");
  expect(offered("admin")).toEqual(expect.arrayContaining(["Settings: Audit log", "New agent"]));
  expect(labels(pageEntries([]))).toEqual([
    "Settings",
    "Settings: Your account",
    "Settings: Roles",
    "Settings: API tokens",
  ]);
});
