/** One metric family as a scraper parses it. */
export interface Family {
  name: string;
  type: string;
  help: string;
  samples: { labels: Record<string, string>; value: number }[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/u;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*/u;
const TYPES = new Set(["counter", "gauge", "histogram", "summary", "untyped"]);
const VALUE = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/u;
/** Units other than base units (Prometheus, "Metric and label naming"). */
const OTHER_UNITS = /_(?:ms|milliseconds|minutes|hours|days|kb|kilobytes|percent)(?:_|$)/u;

/**
 * Parses the text format 0.0.4 by its grammar, and by the rules that scrapers rely on: HELP and TYPE before the samples
 * of a family, each once; a family's lines together; no series twice; a line feed at the end; and the naming rules of
 * `promtool check metrics`. Throws with the wrong line.
 */
export function parsePrometheusText(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  const closed = new Set<string>();
  const series = new Set<string>();
  let help: { name: string; text: string } | null = null;
  let current: Family | null = null;
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line does not end with a line feed");
  const lines = text.split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const fail = (why: string): never => {
      throw new Error(`line ${index + 1}, ${why}: ${line}`);
    };
    if (line === "") fail("an empty line");
    if (line.includes("\r")) fail("a carriage return");
    if (line.startsWith("# HELP ")) {
      if (help !== null) fail("a HELP without TYPE before it");
      const rest = line.slice("# HELP ".length);
      const name = NAME.exec(rest)?.[0] ?? fail("no name");
      if (rest[name.length] !== " ") fail("no space behind the name");
      help = { name, text: unescape(rest.slice(name.length + 1), "\\n", fail) };
      if (help.text.trim() === "") fail("an empty help text");
      continue;
    }
    if (line.startsWith("# TYPE ")) {
      const [name = "", type = "", ...more] = line.slice("# TYPE ".length).split(" ");
      if (more.length > 0 || !TYPES.has(type)) fail("not a type");
      if (help?.name !== name) fail("a TYPE that is not right behind its HELP");
      if (families.has(name)) fail("a family twice");
      if (current !== null) closed.add(current.name);
      current = { name, type, help: help?.text ?? "", samples: [] };
      checkName(current, fail);
      families.set(name, current);
      help = null;
      continue;
    }
    if (line.startsWith("#")) fail("a comment that is neither HELP nor TYPE");
    if (help !== null) fail("a HELP without TYPE");
    const sample = readSample(line, fail);
    if (current === null || sample.name !== current.name) fail("a sample outside of its family");
    if (closed.has(sample.name)) fail("a family in two places");
    if (series.has(sample.key)) fail("a series twice");
    series.add(sample.key);
    if (current?.type === "counter" && !(sample.value >= 0)) fail("a counter below zero");
    const quantile = sample.labels["quantile"];
    if ((current?.type === "summary") !== (quantile !== undefined))
      fail("summaries, and nothing else, have a quantile");
    if (quantile !== undefined && !(Number(quantile) >= 0 && Number(quantile) <= 1)) fail("a quantile is from 0 to 1");
    current?.samples.push({ labels: sample.labels, value: sample.value });
  }
  if (help !== null) throw new Error(`a HELP without TYPE: ${help.name}`);
  for (const { name, samples } of families.values()) {
    if (samples.length === 0) throw new Error(`a family without samples: ${name}`);
  }
  return families;
}

/** The value of the one series with these labels. */
export function valueOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number {
  const found = (families.get(name)?.samples ?? []).filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`${found.length} series of ${name} have the labels ${JSON.stringify(labels)}`);
  }
  return found[0].value;
}

type Fail = (why: string) => never;

function checkName({ name, type }: Family, fail: Fail): void {
  if (NAME.exec(name)?.[0] !== name) fail("not a name");
  if ((type === "counter") !== name.endsWith("_total")) fail("counters, and nothing else, end with _total");
  if (OTHER_UNITS.test(name)) fail("a unit that is not a base unit");
}

function readSample(line: string, fail: Fail) {
  const name = NAME.exec(line)?.[0] ?? fail("no name");
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === "{") {
    at += 1;
    while (line[at] !== "}") {
      const label = LABEL_NAME.exec(line.slice(at))?.[0] ?? fail("no label name");
      if (label.startsWith("__")) fail("a label name that Prometheus keeps for itself");
      if (Object.hasOwn(labels, label)) fail("a label twice");
      at += label.length;
      if (line.slice(at, at + 2) !== '="') fail('no =" behind a label name');
      const raw = /^(?:[^"\\]|\\.)*/u.exec(line.slice(at + 2))?.[0] ?? "";
      labels[label] = unescape(raw, '\\n"', fail);
      at += 2 + raw.length;
      if (line[at] !== '"') fail("a label value without an end");
      at += 1;
      if (line[at] === ",") at += 1;
      else if (line[at] !== "}") fail("neither , nor } behind a label");
    }
    at += 1;
  }
  if (line[at] !== " ") fail("no space before the value");
  const text = line.slice(at + 1);
  if (!VALUE.test(text)) fail("not a value, or a timestamp, which we do not write");
  const value = text.endsWith("Inf") ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
  const key = `${name}${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  return { name, labels, value, key };
}

/**
 * `\\`, `
 * ` and in labels `\"`; no other character may follow a backslash.
 */
function unescape(text: string, allowed: string, fail: Fail): string {
  return text.replaceAll(/\\(.?)/gsu, (_whole, escaped: string) => {
    if (escaped === "" || !allowed.includes(escaped)) fail(`the escape \\${escaped}`);
    return escaped === "n" ? "\n" : escaped;
  });
}
