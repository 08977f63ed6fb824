import type { ReactNode } from "react";
import { count } from "../format.ts";
import { rich } from "../rich.ts";

/** The forms that create and edit connections. */
export const connectionForms = {
  create: {
    title: "New connection",
    titleOf: (type: string) => `New ${type} connection`,
    notAllowed: "Your role does not allow creating connections.",
    choose: "Choose the system to connect to.",
    types: "Types of connection",
    parent: "Types",
    submit: "Create connection",
    done: (name: string) => `${name} was created.`,
  },
  edit: {
    title: "Edit connection",
    notAllowed: "Your role does not allow editing connections.",
    done: (name: string) => `${name} was saved.`,
  },
  label: (type: string) => `${type} connection`,
  requirements: (what: string, name: ReactNode) => rich`${name} ${what}`,
  requirementsName: "Requirements:",
  nameHelp: "A name for people, such as the host or the system.",
  configuration: "Configuration",
  sealed: (label: ReactNode, help: string) => rich`${label} ${help} You are asked for it after saving.`,
  sealedLabel: (label: string) => `${label}:`,
  failed: "The connection was not saved",
  /** Subjects of sentences about a problem. */
  subjects: { agent: "An agent", pool: "A pool", it: "It", line: (number: number) => `Line ${number}` },
  /** Continue such a sentence. */
  problems: {
    required: "is required",
    noAgent: "is required: choose an agent",
    noPool: "is required: choose a pool, or name a new one",
    noName: "needs a name",
    twice: "is used twice",
    notJson: "is not JSON: fix it, or change its kind to text",
  },
  hosts: {
    label: "Leads to",
    one: "One host",
    several: "Several hosts",
    severalHelp: "Each step of a workflow names one of them.",
  },
  where: {
    title: "Where it runs",
    label: "Runs on",
    agent: "One agent",
    pool: "A pool of agents",
    poolOnHost: "Each job goes to the healthiest agent, and runs on that agent's host.",
    poolWithCredential: "Each job goes to the healthiest agent that has the credential.",
    none: "Not assigned",
    noneHelp: "The connection is saved, but workflows cannot use it.",
    chooseAgent: "Choose an agent",
    noMatch: "No matching agent.",
    agentOption: (name: string, state: string) => `${name} (${state})`,
    disabled: "disabled",
    agentGone: "This agent was deleted. Choose another one.",
    agentsUnread: (reason: string) => `The agents could not be read: ${reason}`,
    noAgents: (create: ReactNode) => rich`No agents yet. ${create}, or save this connection without an agent.`,
    createAgent: "Create the first one",
    unsupported: (type: string) => `This agent does not support ${type} connections. Update it, or choose another one.`,
    poolHelp: "Choose a pool, or enter the name of a new one.",
    emptyPool: "This pool has no agents yet. Jobs wait until an agent joins it.",
    poolSize: (agents: number) => `${count(agents, "agent belongs", "agents belong")} to this pool.`,
  },
  customFields: {
    row: (number: number) => `Field ${number}`,
    value: "Value",
    kind: "Kind of value",
    text: "Text",
    json: "JSON",
    remove: (name: string) => `Remove field ${name}`,
    add: "Add a field",
  },
  /** Another person saved the connection while the form was open. */
  edited: {
    title: "Another person has changed this connection",
    body: "Another person saved it after you opened it, so your changes were not saved. Your input is still here.",
    overwrite: "Save mine anyway",
    discard: "Discard mine and show theirs",
    name: (name: string) => `Its name is now ${name}.`,
    field: (label: string, value: string) => `${label}: ${value}.`,
    nothing: "nothing",
    where: "It now runs on another agent or pool.",
    enabled: "It was enabled.",
    disabled: "It was disabled.",
    back: "It was changed, and changed back.",
  },
  keptAddress: {
    title: "The webhook address is kept in the service",
    body: (address: ReactNode) =>
      rich`The configuration contains it: ${address}. Deliver it as the credential instead, encrypted for the agents, and then remove it here.`,
    keep: "Keep the address in the configuration",
  },
  targetChange: {
    unusable: {
      title: "This makes the credential unusable",
      body: (fields: string) =>
        `Changing the ${fields} makes the delivered credential unusable until it is delivered again: it was encrypted for the present target.`,
    },
    usable: {
      title: "This makes the credential usable again",
      body: "The credential was delivered for this target. After saving, the agents use it again without a delivery.",
    },
  },
};
