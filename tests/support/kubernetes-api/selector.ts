import type { JsonObject } from "../../../schema/contract/json.ts";

/** Whether a selector matches these labels. */
export type Selector = (labels: JsonObject) => boolean;

const KEY = String.raw`([A-Za-z0-9][\w./-]*)`;
const SET = new RegExp(String.raw`^${KEY} (in|notin) \(([\w.,-]*)\)$`, "u");
const EQUAL = new RegExp(String.raw`^${KEY}(==?|!=)([\w.-]*)$`, "u");
const EXISTS = new RegExp(String.raw`^(!?)${KEY}$`, "u");

/** Parses a label selector (Kubernetes, "Labels and Selectors"); null for one that the API cannot parse. */
export function parsedSelector(text: string): Selector | null {
  // A comma inside the brackets separates values.
  const parts = text.split(/,(?![^(]*\))/u).filter((part) => part !== "");
  const requirements = parts.map(requirement);
  const known = requirements.filter((each) => each !== null);
  return known.length === requirements.length ? (labels) => known.every((takes) => takes(labels)) : null;
}

function requirement(part: string): Selector | null {
  const [, setKey = "", set, values = ""] = SET.exec(part) ?? [];
  if (set !== undefined) {
    const listed = values.split(",");
    return (labels) => (setKey in labels && listed.includes(String(labels[setKey]))) === (set === "in");
  }
  const [, key = "", sign, value = ""] = EQUAL.exec(part) ?? [];
  if (sign !== undefined) return (labels) => (labels[key] === value) === (sign !== "!=");
  const [, not, name = ""] = EXISTS.exec(part) ?? [];
  return not === undefined ? null : (labels) => name in labels === (not === "");
}
