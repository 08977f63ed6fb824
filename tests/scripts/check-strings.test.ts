import { expect, test } from "bun:test";
import { stringsIn } from "../../scripts/check-strings.ts";

test.each<[string, string, string[]]>([
  ["the text of an element", "<p>Cancel {name}?</p>", ["Cancel"]],
  ["an attribute", '<Button title="Cancel run" />', ["Cancel run"]],
  ["a text with values", "const a = `Cancel ${name} now or later`;", ["Cancel", "now or later"]],
  ["one word that starts a sentence", 'const a = "Cancel";', ["Cancel"]],
  ["an error that a page shows", 'const shown = new Error("Reload the page.");', ["Reload the page."]],
  ["the format of a number", "const a = new Intl.NumberFormat().format(5);", ["Intl"]],
  ["the format of a date", "const a = <p>{at.toLocaleDateString()}</p>;", ["toLocaleDateString"]],
])("%s belongs in a catalogue", (_, source, expected) => {
  expect(stringsIn("page.tsx", source).map(({ string }) => string)).toEqual(expected);
});

test.each([
  ["an import", 'import { A } from "Some Thing.ts";'],
  ["an identifier", 'const a = "node_runs";'],
  ["the name of a key", 'if (event.key === "Escape") close();'],
  ["an error for developers", 'throw new Error("No provider is above this component");'],
  ["a value that is compared", 'if (status !== "Offline") close();'],
  ["the value of a case", 'switch (status) { case "Offline": close(); }'],
  ["a command", "<code>bellhop-agent doctor</code>"],
  ["a value of a style", 'const a = { grid: "1fr 2fr" };'],
  ["a header of a request", "const a = `Authorization: Bearer ${token}`;"],
  ["code", "<Code>channel: {channel}</Code>"],
  ["a border", 'const a = { border: "1px solid var(--mantine-color-error)" };'],
  ["a mixed colour", 'const a = { color: "color-mix(in srgb, red 12%, transparent)" };'],
  ["the kind of a link", '<a href={address} rel="noopener noreferrer" />'],
  ["classes of the editor", 'const a = { class: "cm-found cm-current" };'],
  ["the name of a field", "const a = timeline[`${stage}At`];"],
  ["the name of a header", 'const at = response.headers.get("Date");'],
  ["the start of a message", 'if (error.message.startsWith("This was done before")) retry();'],
  ["a font", "const theme = { fontFamily: \"'Segoe UI', Noto Sans\" };"],
  ["a comment", "// Cancel the run\nconst a = 1;"],
])("%s is no text of a page", (_, source) => {
  expect(stringsIn("page.tsx", source)).toEqual([]);
});
