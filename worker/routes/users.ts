import * as api from "../../schema/contract/api/users.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createUser } from "../services/people/create.ts";
import { deleteUser } from "../services/people/delete.ts";
import { listUserViews } from "../services/people/list.ts";
import { updateUser } from "../services/people/update.ts";

export const userEndpoints: readonly Endpoint[] = [
  endpoint(api.createUser, async (c) =>
    created(c, await createUser(c.var.deps, c.var.principal.actor, await readBody(c))),
  ),
  endpoint(api.listUsers, async (c) => answerPage(c, await listUserViews(c.var.deps, c.req.query()))),
  endpoint(api.updateUser, async (c) =>
    answer(c, await updateUser(c.var.deps, c.var.principal, pathParam(c), await readBody(c))),
  ),
  endpoint(api.deleteUser, async (c) => answer(c, await deleteUser(c.var.deps, c.var.principal, pathParam(c)))),
];
