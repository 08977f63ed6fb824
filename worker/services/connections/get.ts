import type { ConnectionView } from "../../../schema/contract/management.ts";
import { findConnection } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { viewConnection } from "./view.ts";

export async function getConnection(deps: Deps, id: string): Promise<ConnectionView> {
  const row = await findConnection(deps.db, id);
  if (row === null) throw notFound("connection", id);
  return viewConnection(deps, row);
}
