import type { RegisterRequest } from "../../schema/contract/agent.ts";
import type { AgentCaller, RegisterOrder } from "../../worker/actors/dispatcher/index.ts";

interface Registering extends Partial<RegisterRequest> {
  agentId: string;
  epoch: number;
  instanceId: string;
  journalId: string;
  enabled?: boolean;
}

/** The registration of an agent's process, as its dispatcher receives it. */
export function registration({
  agentId,
  epoch,
  enabled = true,
  ...request
}: Registering): [caller: AgentCaller, order: RegisterOrder] {
  return [
    { agentId, epoch, instanceId: null },
    {
      settings: { agentId, name: agentId, epoch, enabled, removed: false },
      request: {
        protocol: 1,
        name: agentId,
        version: "1.0.0",
        os: "linux",
        arch: "x64",
        capabilities: ["script"],
        features: [],
        publicKey: { kty: "EC", crv: "P-256", x: "x".repeat(43), y: "y".repeat(43) },
        maxConcurrentJobs: 5,
        pollIntervalSeconds: 5,
        ...request,
      },
    },
  ];
}
