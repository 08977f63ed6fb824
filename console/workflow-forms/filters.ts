/** What may stand behind the `|` of a template. `quoted`: it takes texts, in quotes. */
export const FILTERS: readonly { name: string; detail: string; quoted?: true }[] = [
  { name: "default", detail: "another text where it is empty", quoted: true },
  { name: "trim", detail: "without blanks and line breaks around it" },
  { name: "json", detail: "as JSON" },
  { name: "lower", detail: "in lower case" },
  { name: "upper", detail: "in upper case" },
  { name: "lines", detail: "a text as a list of its lines" },
  { name: "split", detail: "a text as a list, cut at a separator", quoted: true },
  { name: "join", detail: "a list as one text, with a separator", quoted: true },
  { name: "first", detail: "the first of a list" },
  { name: "last", detail: "the last of a list" },
  { name: "int", detail: "a whole number, or the step fails" },
  { name: "number", detail: "a number, or the step fails" },
  { name: "bool", detail: "true or false, or the step fails" },
  { name: "name", detail: "a plain name, or the step fails" },
  { name: "oneOf", detail: "one of these texts, or the step fails", quoted: true },
  { name: "required", detail: "the step fails where it is empty" },
];
