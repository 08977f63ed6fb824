import type { ReactNode } from "react";
import { rich } from "../rich.ts";

/** The guide through the first run of a new deployment. */
export const firstRun = {
  title: "First run",
  intro: "From an empty deployment to a green execution, in about five minutes.",
  dismiss: "Hide the guide",
  done: "done",
  next: "next",
  progress: (done: number, all: number) => `${done} of ${all} done`,
  steps: {
    agent: {
      title: "Install an agent",
      hint: "It runs the steps of workflows inside your network.",
      action: "Create an agent",
    },
    online: { title: "Wait until the agent is online", hint: "This updates by itself.", action: "Open the agents" },
    connection: {
      title: "Create a script connection",
      hint: "Scripts run on the agent’s machine. This type needs no credential.",
      action: "Create the connection",
    },
    workflow: {
      title: "Create a workflow from a template",
      hint: "It has one step: a script that says hello.",
      action: "Create the workflow",
    },
    publish: { title: "Publish the workflow", hint: "Only a published workflow runs.", action: "Open the workflow" },
    run: { title: "Run it, and see it succeed", hint: "Then the set-up is complete.", action: "Run the workflow" },
  },
  completed: {
    label: "First run is done",
    line: (trigger: ReactNode, connection: ReactNode) =>
      rich`Your first run succeeded, so this guide is done. Next: ${trigger}, or ${connection}.`,
    trigger: "choose what starts the workflow",
    connection: "connect your own systems",
    close: "Close the guide",
  },
  notCreated: "The workflow was not created",
};
