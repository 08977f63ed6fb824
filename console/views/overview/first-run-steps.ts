import type { Permission } from "../../../schema/contract/people.ts";
import type { firstRun } from "../../strings/en/first-run.ts";

export type StepName = keyof typeof firstRun.steps;

/** What exists in the deployment. */
export interface Present {
  hasAgent: boolean;
  isOnline: boolean;
  hasConnection: boolean;
  hasWorkflow: boolean;
  isPublished: boolean;
  hasSucceeded: boolean;
}

export interface FirstRunStep {
  name: StepName;
  isDone: boolean;
}

const STEPS = [
  { name: "agent", needs: "agents:write", isDone: ({ hasAgent }) => hasAgent },
  { name: "online", needs: "agents:write", isDone: ({ isOnline }) => isOnline },
  { name: "connection", needs: "connections:write", isDone: ({ hasConnection }) => hasConnection },
  { name: "workflow", needs: "code:write", isDone: ({ hasWorkflow }) => hasWorkflow },
  { name: "publish", needs: "code:write", isDone: ({ isPublished }) => isPublished },
  { name: "run", needs: "automation:execute", isDone: ({ hasSucceeded }) => hasSucceeded },
] as const satisfies readonly { name: StepName; needs: Permission; isDone: (present: Present) => boolean }[];

/** The steps that a person with these permissions may do. Empty when the deployment has had its first green execution. */
export function firstRunSteps(present: Present, permissions: readonly Permission[]): FirstRunStep[] {
  if (present.hasSucceeded) return [];
  return STEPS.filter(({ needs }) => permissions.includes(needs)).map(({ name, isDone }) => ({
    name,
    isDone: isDone(present),
  }));
}
