import type { Waiting } from "../../../schema/contract/waiting.ts";
import { exactTime } from "../../strings/time.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";

/** The codes whose detail is a phrase after "Waiting for". The other details are sentences. */
const PHRASES: ReadonlySet<Waiting["code"]> = new Set([
  "approval",
  "delay",
  "next_batch",
  "retry",
  "sub_workflow",
  "earlier_run",
  "collecting",
  "maintenance",
]);

/** Whether it waits for an agent, so that its pool shows more. */
export function waitsForAgent({ code }: Waiting): boolean {
  return !PHRASES.has(code);
}

/** Why something waits, as a sentence. */
export function waitingSentence({ code, until, detail }: Waiting): string {
  if (code === "sub_workflow") return text.waiting.subWorkflow;
  const readable = until === undefined ? detail : detail.replaceAll(until, exactTime(until));
  return PHRASES.has(code) ? text.waiting.for(readable) : readable;
}

/** The same sentence for a place where nothing else says that the node waits. */
export function waitsFor(waiting: Waiting): string {
  const sentence = waitingSentence(waiting);
  return PHRASES.has(waiting.code) ? sentence : text.waiting.sentence(sentence);
}
