import type { LimitGroupView } from "../../../schema/contract/limit-group.ts";
import type { LimitGroupRow } from "../../store/limit-groups.ts";

export function toLimitGroupView({ createdAt, updatedAt, ...row }: LimitGroupRow): LimitGroupView {
  return { ...row, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
}
