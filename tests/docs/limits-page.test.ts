import { expect, test } from "bun:test";
import { join } from "node:path";
import * as limits from "../../schema/limits.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/design/limits.md")).text();

/** Time in milliseconds, sizes in bytes. Any other unit only names what is counted. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  days: 86_400_000,
  KiB: 1_024,
  MiB: 1_024 * 1_024,
};

function valueOf(name: string, number: string, unit: string): number {
  const value = Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1);
  return name.includes("_SECONDS") ? value / 1_000 : value;
}

test("the page has every limit once, with its value in the code, and no other", () => {
  const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` \| ([\d,.]+)(?: (\w+))? \|/gmu)];
  const onPage = rows.map(([, name = "", number = "", unit = ""]) => ({ name, value: valueOf(name, number, unit) }));
  const inCode = Object.entries(limits).map(([name, value]) => ({ name, value }));
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  expect(onPage.sort(byName)).toEqual(inCode.sort(byName));
});
