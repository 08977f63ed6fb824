import * as api from "../../schema/contract/api/auth.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createToken } from "../services/tokens/create.ts";
import { deleteToken } from "../services/tokens/delete.ts";
import { listTokenViews } from "../services/tokens/list.ts";

export const tokenEndpoints: readonly Endpoint[] = [
  endpoint(api.createToken, async (c) => created(c, await createToken(c.var.deps, c.var.principal, await readBody(c)))),
  endpoint(api.listTokens, async (c) =>
    answerPage(c, await listTokenViews(c.var.deps, c.var.principal, c.req.query())),
  ),
  endpoint(api.deleteToken, async (c) => answer(c, await deleteToken(c.var.deps, c.var.principal, pathParam(c)))),
];
