import { spyOn } from "bun:test";
import { Socket } from "node:net";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { CredentialPeer } from "./credential-peer.ts";
import { runAction, type TestJob } from "./executor-context.ts";

/** The destinations of a job's connections, and whether the credential arrives at the peer. */
export async function useOf(
  type: ConnectionType,
  peer: CredentialPeer,
  changes: TestJob,
): Promise<{ opened: string[]; arrived: boolean }> {
  const before = await peer.arrivals();
  const opened = recordConnections();
  await runAction(type, peer.action, { ...peer.job, ...changes });
  return { opened: opened(), arrived: (await peer.arrivals()) > before };
}

/**
 * Records every TCP connection that this process opens, until the returned function is called, which returns each once.
 */
export function recordConnections(): () => string[] {
  const spy = spyOn(Socket.prototype, "connect");
  return () => {
    const opened = spy.mock.calls.map((call) => JSON.stringify(call));
    spy.mockRestore();
    return [...new Set(opened)].toSorted();
  };
}
