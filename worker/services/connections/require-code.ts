import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { typeRunsCode } from "../../../schema/contract/runs-code.ts";
import { missingPermission } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";

/**
 * Throws `forbidden` when a caller without `code:write` sets fields that decide where code runs: `type` of a new
 * connection, or `config`, `agentId` and `poolId` of an existing one.
 */
export function requireCodeFields(by: Principal, type: ConnectionType, fields: readonly string[]): void {
  if (fields.length === 0 || !typeRunsCode(type) || by.permissions.has("code:write")) return;
  throw new ProblemError(
    "forbidden",
    missingPermission(by, "code:write", `the ${fields.join(", ")} of a connection that runs code (${type})`),
    { errors: fields.map((path) => ({ path, message: "needs the permission code:write: it says where code runs" })) },
  );
}
