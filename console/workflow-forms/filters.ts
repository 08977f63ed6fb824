import type { FilterName } from "../../worker/domain/template/filters.ts";

/** The filters that an editor offers after the `|` of a template. `quoted`: the filter takes quoted texts. */
const FILTERS: Readonly<Record<FilterName, { readonly detail: string; readonly quoted?: true }>> = {
  default: { detail: "a fallback for an empty value", quoted: true },
  trim: { detail: "without spaces and line breaks at both ends" },
  json: { detail: "as JSON" },
  lower: { detail: "in lower case" },
  upper: { detail: "in upper case" },
  lines: { detail: "a text as a list of its lines" },
  split: { detail: "a text as a list, cut at a separator", quoted: true },
  join: { detail: "a list as one text, with a separator", quoted: true },
  first: { detail: "the first item of a list" },
  last: { detail: "the last item of a list" },
  int: { detail: "a whole number, or the step fails" },
  number: { detail: "a number, or the step fails" },
  bool: { detail: "true or false, or the step fails" },
  name: { detail: "a plain name, or the step fails" },
  oneOf: { detail: "one of these texts, or the step fails", quoted: true },
  required: { detail: "the step fails if the value is empty" },
} as const satisfies Record<FilterName, { detail: string; quoted?: true }>;

export const FILTER_OPTIONS = Object.entries(FILTERS);
