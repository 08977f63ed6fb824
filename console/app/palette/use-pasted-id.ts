import { useRead } from "../../api/queries.ts";
import { ApiProblem } from "../../api/problem.ts";
import { palette as text } from "../../strings/en/palette.ts";
import { LISTS_BY_KIND, PAGES_BY_KIND, hasPage, idIn } from "./ids.ts";
import type { KindWithPage } from "./ids.ts";
import type { Entry } from "./match.ts";

export interface Found {
  entry: Entry | null;
  /** A sentence when the id leads nowhere. */
  message: string | null;
}

const NOTHING: Found = { entry: null, message: null };

/** The page of an id in the typed text, once the service has confirmed that the thing exists. */
export function usePastedId(typed: string, mayRead: boolean): Found {
  const pasted = mayRead ? idIn(typed) : null;
  const kind: KindWithPage | null = pasted?.isWhole === true && hasPage(pasted.kind) ? pasted.kind : null;
  const id = pasted?.id ?? "";
  const thing = useRead(PAGES_BY_KIND[kind ?? "execution"].read, { path: { id } }, { enabled: kind !== null });
  if (pasted === null) return NOTHING;
  if (!pasted.isWhole) return { entry: null, message: text.id.incomplete(text.kinds[pasted.kind]) };
  if (kind === null) return withoutPage(pasted.kind, id);
  const what = text.things[kind];
  if (thing.data !== undefined) {
    const label = text.id.open(what, nameOf(thing.data) ?? id);
    return {
      entry: { key: id, label, group: "id", run: { href: `${PAGES_BY_KIND[kind].page}/${id}` } },
      message: null,
    };
  }
  if (thing.error === null) return { entry: null, message: text.id.looking(id) };
  const isMissing = thing.error instanceof ApiProblem && thing.error.status === 404;
  return { entry: null, message: isMissing ? text.id.none(what, id) : text.id.failed(id) };
}

function withoutPage(kind: keyof typeof text.kinds, id: string): Found {
  const href = LISTS_BY_KIND[kind];
  if (href === undefined) return { entry: null, message: text.id.noPage(text.kinds[kind]) };
  return { entry: { key: id, label: text.id.list(text.kinds[kind]), group: "id", run: { href } }, message: null };
}

/** The name of what was read; null where the id is its name. */
function nameOf(thing: object): string | null {
  if ("name" in thing && typeof thing.name === "string") return thing.name;
  return "title" in thing && typeof thing.title === "string" ? thing.title : null;
}
