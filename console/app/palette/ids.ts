import { ID_PREFIXES } from "../../../schema/contract/ids.ts";
import type { IdKind } from "../../../schema/contract/ids.ts";

/** By kind of id: the operation that reads the thing, and its page. */
export const PAGES_BY_KIND = {
  agent: { read: "/api/v1/automation/agents/{id}", page: "/agents" },
  connection: { read: "/api/v1/automation/connections/{id}", page: "/connections" },
  workflow: { read: "/api/v1/automation/workflows/{id}", page: "/workflows" },
  execution: { read: "/api/v1/automation/executions/{id}", page: "/executions" },
  incident: { read: "/api/v1/automation/incidents/{id}", page: "/incidents" },
  maintenanceWindow: { read: "/api/v1/automation/maintenance-windows/{id}", page: "/maintenance" },
} as const satisfies Partial<Record<IdKind, { read: string; page: string }>>;
export type KindWithPage = keyof typeof PAGES_BY_KIND;

/** Things without an own page, which are in a list. */
export const LISTS_BY_KIND: Partial<Record<IdKind, string>> = {
  integration: "/integrations",
  limitGroup: "/settings/limits",
  notificationReceiver: "/settings/notifications",
  user: "/settings/users",
  apiToken: "/settings/tokens",
  audit: "/settings/audit",
};

const ID = /(?:^|[^A-Za-z0-9_])([a-z]{2,3})_([0-9a-f]{4}[0-9a-f-]*)(?![A-Za-z0-9_])/u;
const WHOLE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

export interface PastedId {
  kind: IdKind;
  id: string;
  isWhole: boolean;
}

/** The first id in a text: an id alone, in an address or in a line of a log. Null without an id. */
export function idIn(text: string): PastedId | null {
  const [, prefix, rest = ""] = ID.exec(text) ?? [];
  const kind = KINDS.find((one) => ID_PREFIXES[one] === prefix);
  return kind === undefined ? null : { kind, id: `${prefix}_${rest}`, isWhole: WHOLE.test(rest) };
}

const KINDS = Object.keys(ID_PREFIXES).filter((kind): kind is IdKind => Object.hasOwn(ID_PREFIXES, kind));

export function hasPage(kind: IdKind): kind is KindWithPage {
  return Object.hasOwn(PAGES_BY_KIND, kind);
}
