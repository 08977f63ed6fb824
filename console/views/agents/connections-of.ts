import type { ConnectionView } from "../../../schema/contract/management.ts";

/** The connections whose jobs an agent may get: those that name it, and those that name its pool. */
export function connectionsOf<C extends Pick<ConnectionView, "agentId" | "poolId">>(
  connections: readonly C[],
  { id, poolId }: { id: string; poolId: string | null },
): C[] {
  return connections.filter(
    (connection) => connection.agentId === id || (poolId !== null && connection.poolId === poolId),
  );
}

/** The connections whose credential is in the agent's vault or on its way there. Each must be delivered again. */
export function inItsVault<C extends Pick<ConnectionView, "credentials">>(
  connections: readonly C[],
  agentId: string,
): C[] {
  return connections.filter(({ credentials }) =>
    credentials.some((one) => one.agentId === agentId && (one.version > 0 || one.status !== "pending")),
  );
}
