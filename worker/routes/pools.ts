import { getPool as getPoolOperation, listPools as listPoolsOperation } from "../../schema/contract/api/pools.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answer, answerPage } from "../http/respond.ts";
import { getPool } from "../services/pools/get.ts";
import { listPools } from "../services/pools/list.ts";

export const poolEndpoints: readonly Endpoint[] = [
  endpoint(listPoolsOperation, async (c) => answerPage(c, await listPools(c.var.deps, c.req.query()))),
  endpoint(getPoolOperation, async (c) => answer(c, await getPool(c.var.deps, pathParam(c)))),
];
