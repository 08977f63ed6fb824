import { createHash } from "node:crypto";
import type { IdKind } from "../../../schema/contract/ids.ts";
import type { Deps } from "../deps.ts";
import { idOf } from "../ids.ts";
import type { KeyClaim } from "./claim-key.ts";

/**
 * The same deps, with ids of one kind derived from the key: a retry creates nothing twice, since the id is taken. The
 * id's time is the key's first use.
 */
export function sameIds(deps: Deps, { actor, key, firstAt }: KeyClaim, creates: IdKind): Deps {
  const digest = createHash("sha256")
    .update(JSON.stringify([deps.settings.secret, actor, key, firstAt]))
    .digest();
  const id = idOf(creates, digest.subarray(0, 16), firstAt);
  return {
    settings: deps.settings,
    get db() {
      return deps.db;
    },
    openDatabase: deps.openDatabase,
    objects: deps.objects,
    now: () => deps.now(),
    newId: (kind) => (kind === creates ? id : deps.newId(kind)),
  };
}
