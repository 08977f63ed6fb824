import { permissionSchema } from "../../../schema/contract/people.ts";
import type { MeView } from "../../../schema/contract/people.ts";
import { findUser } from "../../store/users.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "../principal.ts";
import { viewUser } from "./view.ts";

/** The caller and its permissions. */
export async function showMe(deps: Deps, by: Principal): Promise<MeView> {
  const user = by.userId === null ? null : await findUser(deps.db, by.userId);
  const expiresAt = by.expiresAt ?? null;
  return {
    kind: by.kind,
    actor: by.actor,
    user: user === null ? null : viewUser(user),
    permissions: permissionSchema.options.filter((permission) => by.permissions.has(permission)),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}
