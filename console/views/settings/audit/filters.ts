/** The filters of the audit log. All are in the page's URL, so a person can share a search. */
export const FILTERS = ["actor", "verb", "subjectType", "subjectId", "from", "to"] as const;
export type AuditFilters = Readonly<Record<(typeof FILTERS)[number], string>>;

export const NO_FILTERS: AuditFilters = { actor: "", verb: "", subjectType: "", subjectId: "", from: "", to: "" };

/** The filters in a URL's query. Unknown parameters and invalid times are ignored. */
export function filtersOf(search: string): AuditFilters {
  const query = new URLSearchParams(search);
  const text = (name: keyof AuditFilters) => query.get(name)?.trim() ?? "";
  const time = (name: "from" | "to") =>
    Number.isNaN(Date.parse(text(name))) ? "" : new Date(text(name)).toISOString();
  return {
    actor: text("actor"),
    verb: text("verb"),
    subjectType: text("subjectType"),
    subjectId: text("subjectId"),
    from: time("from"),
    to: time("to"),
  };
}

/** The URL's query for these filters, or an empty text without filters. */
export function searchOf(filters: AuditFilters): string {
  const query = new URLSearchParams();
  for (const name of FILTERS) if (filters[name].trim() !== "") query.set(name, filters[name].trim());
  return query.size === 0 ? "" : `?${query}`;
}

/** An instant (ISO, UTC) as the value of a datetime-local input: local time, to the minute. Empty for an empty text. */
export function toLocalInput(iso: string): string {
  if (iso === "") return "";
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

const PERSON = "user:";

/** An actor as the field of the search shows it: a person without the prefix of the API. */
export function actorShown(actor: string): string {
  return actor.startsWith(PERSON) ? actor.slice(PERSON.length) : actor;
}

/** The actor that the field means: an email address means that person. */
export function actorGiven(field: string): string {
  const actor = field.trim();
  return actor.includes("@") && !actor.includes(":") ? `${PERSON}${actor}` : actor;
}

const LAST_OF_MINUTE_MS = 59_999;

/** The instant of a datetime-local input. The end of a span includes its whole minute. */
export function fromLocalInput(value: string, end: "from" | "to"): string {
  const at = Date.parse(value);
  if (Number.isNaN(at)) return "";
  return new Date(end === "to" ? at + LAST_OF_MINUTE_MS : at).toISOString();
}
