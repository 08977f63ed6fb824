/** What the audit log is searched by. All of it stands in the page's address, so that a search can be handed on. */
export const FILTERS = ["actor", "verb", "subjectType", "subjectId", "from", "to"] as const;
export type AuditFilters = Readonly<Record<(typeof FILTERS)[number], string>>;

export const NO_FILTERS: AuditFilters = { actor: "", verb: "", subjectType: "", subjectId: "", from: "", to: "" };

/** The filters of an address's query; what is none of them is left alone, and what is no time is none. */
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

/** The query of an address that holds these filters; empty without any. */
export function searchOf(filters: AuditFilters): string {
  const query = new URLSearchParams();
  for (const name of FILTERS) if (filters[name].trim() !== "") query.set(name, filters[name].trim());
  return query.size === 0 ? "" : `?${query}`;
}

/** A moment (ISO, UTC) as an input of type datetime-local has it: where the person is, to the minute. Empty for none. */
export function toLocalInput(iso: string): string {
  if (iso === "") return "";
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

const LAST_OF_MINUTE_MS = 59_999;

/** The other way round. The end of a span holds its whole minute: what is shown as 12:30 lies in "to 12:30". */
export function fromLocalInput(value: string, end: "from" | "to"): string {
  const at = Date.parse(value);
  if (Number.isNaN(at)) return "";
  return new Date(end === "to" ? at + LAST_OF_MINUTE_MS : at).toISOString();
}
