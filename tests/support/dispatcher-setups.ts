import { viewPool } from "../../worker/actors/dispatcher/views.ts";
import { AgentProbe, DispatcherHarness, order, refOf } from "./dispatcher-harness.ts";

/** A dispatcher with one registered agent. */
export function withAgent(): { harness: DispatcherHarness; agent: AgentProbe } {
  const harness = new DispatcherHarness();
  const agent = new AgentProbe(harness, "a");
  agent.register();
  return { harness, agent };
}

/** The same, with a job delivered to the agent. */
export async function withDelivered() {
  const { harness, agent } = withAgent();
  harness.enqueue(order("job_1"));
  const [job] = (await agent.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  return { harness, agent, job, ref: refOf(job) };
}

/** A dispatcher with registered agents. */
export function withAgents(...agentIds: string[]): { harness: DispatcherHarness; agents: AgentProbe[] } {
  const harness = new DispatcherHarness();
  const agents = agentIds.map((agentId) => new AgentProbe(harness, agentId));
  for (const agent of agents) agent.register();
  return { harness, agents };
}

/** The agents `a` and `b`; only the named ones are registered. */
export function withPair(...registered: ("a" | "b")[]): { harness: DispatcherHarness; a: AgentProbe; b: AgentProbe } {
  const harness = new DispatcherHarness();
  const [a, b] = [new AgentProbe(harness, "a"), new AgentProbe(harness, "b")];
  for (const agent of [a, b]) if (registered.some((agentId) => agentId === agent.agentId)) agent.register();
  return { harness, a, b };
}

/** The reasons why jobs wait, as messages. */
export function waitingFor(harness: DispatcherHarness): string[] {
  return viewPool(harness.state, "web", harness.now).waiting.map(({ reason }) => reason);
}
