import * as api from "../../schema/contract/api/overview.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answer } from "../http/respond.ts";
import { readOverview } from "../services/overview/read.ts";

export const overviewEndpoints: readonly Endpoint[] = [
  endpoint(api.readOverview, async (c) => answer(c, await readOverview(c.var.deps, c.var.principal))),
];
