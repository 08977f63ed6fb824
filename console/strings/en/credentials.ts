import type { ReactNode } from "react";
import { count } from "../format.ts";
import { rich } from "../rich.ts";

/** The delivery of credentials, and what others may show of it. */
export const credentials = {
  /** The credential on the page of its connection. */
  panel: {
    noneForType: "A connection of this type has no credential.",
    noLogin: "This connection does not log in, so there is no credential to deliver.",
    optional: "A credential is optional. Deliver one if the target requires it: then every agent needs it.",
    notAssigned: "Assign an agent or a pool before you deliver a credential.",
    emptyPool: "Its pool has no agent yet, so no agent can receive a credential.",
    agentsGone: {
      deliver: "The agents that had the credential are gone, so steps wait until you deliver it again.",
      wait: "The agents that had the credential are gone, so steps wait.",
      withdraw: "The connection also works without a credential: withdraw it to let the steps run.",
    },
    deliver: "Deliver a credential",
    withdraw: "Withdraw",
    notAllowed: "To deliver or withdraw a credential, ask an administrator: your role does not allow it.",
  },
  withdraw: {
    title: (name: string) => `Withdraw the credential of ${name}?`,
    effects: [
      "Every agent deletes it from its vault. An offline agent does so when it is back.",
      "Deliveries that were not fetched yet are deleted.",
      "Steps that need it wait or fail until you deliver again.",
      "The secret itself stays valid on the target. If it may have leaked, change it there, too.",
    ],
    confirm: "Withdraw credential",
    keep: "Keep credential",
    done: (name: string) => `The credential of ${name} is withdrawn: each agent deletes it with its next poll.`,
    failed: "The credential was not withdrawn",
  },
  /** The credential on each agent. */
  statuses: {
    label: "The credential on each agent",
    deliverAgain: "deliver again",
    noCredential: "no credential",
    unnamed: "An agent",
    version: (version: number) => `version ${version}`,
    boundTo: "This credential is for:",
    boundToLabel: "Where the agent's credential may be used",
    offline: "The agent is offline. It fetches the credential when it is online again, within 24 hours.",
    disabled: "The agent is disabled. It fetches the credential after you enable it, within 24 hours.",
    next: {
      setOnMachine: "It was set on the agent's machine.",
      delivered: "The agent has it in its vault.",
      waiting: "It is encrypted and waits for the agent: seconds while the agent is online, 24 hours at most.",
      none: "This agent has no credential yet.",
      failed: "The agent did not accept it. Fix the reported problem, then deliver again.",
      expired: "The agent did not fetch it within 24 hours, so it was deleted. Start the agent, then deliver again.",
    },
  },
  target: {
    label: "Where the credential will be used",
  },
  verified: {
    by: (who: string, date: ReactNode) => rich`Verified by ${who} on ${date}.`,
    hint: "This is a hint, not a proof: compare the fingerprint yourself before you deliver.",
  },
  deliver: {
    title: (name: string) => `Deliver the credential of ${name}`,
    notSecure: {
      title: "This page was not loaded over https",
      body: (deliver: ReactNode, set: ReactNode) =>
        rich`The browser encrypts the secret, which is possible only on pages that were loaded over https or from localhost. Open the console over https, deliver with ${deliver}, or use ${set} on the agent's machine.`,
    },
    steps: {
      label: "Steps of the delivery",
      names: { agents: "Agents", verify: "Verify", secret: "Secret", deliver: "Deliver", test: "Test" },
      done: "(done)",
    },
    back: "Back",
    continue: "Continue",
    failed: "The credential was not delivered",
    problems: {
      overtaken:
        "The credential was delivered or withdrawn after you opened this dialog, perhaps by your own earlier attempt, or the connection's target was edited. The agents and the target were read again: check them, then deliver again if necessary.",
      otherKey: (agents: readonly string[]) =>
        `The key of ${agents.join(", ")} has changed, or the connection now runs elsewhere. The agents were read again: compare the fingerprints again before you deliver.`,
      unnamed: "an agent",
    },
  },
  agents: {
    title: "Who gets the credential?",
    label: "Agents",
    deliverTo: (name: string) => `Deliver to ${name}`,
    /** What an agent has now. */
    held: {
      none: "Has no credential",
      setOnMachine: "Has a credential that was set on its machine",
      delivered: (version: number) => `Has version ${version}`,
      waiting: (version: number) => `Version ${version} waits for it`,
      otherTarget: (version: number) => `Has version ${version}, which it cannot use`,
      failed: (version: number) => `Refused version ${version}`,
      expired: (version: number) => `Did not fetch version ${version} in time`,
    },
    offline: "It fetches the credential when it is online again, within 24 hours.",
    disabled: "It fetches the credential after you enable it, within 24 hours.",
    noKey: (start: ReactNode) => rich`No public key to encrypt for. ${start}, then deliver to it.`,
    start: "Start this agent once",
    forged: {
      title: "The fingerprint does not match the key",
      body: (fingerprint: ReactNode) =>
        rich`The service reports the fingerprint ${fingerprint}, but the key that it sent has another one. Do not deliver to this agent. Report this to the administrator of this deployment.`,
    },
    none: {
      title: "No agent can receive the credential yet",
      ofAgent: "Its agent has not registered a key yet.",
      ofPool: (pool: string) =>
        `No agent of the pool ${pool} has registered a key. Create an agent for the pool under Agents, or start an existing one.`,
    },
    target: {
      title: "Where may they use it?",
      body: "The agents use the secret for this target and no other.",
      confirm: "The target is correct",
      known: "You confirmed this target with an earlier delivery.",
      changed: {
        title: "The target has changed",
        body: (fields: string) =>
          `The connection's ${fields} changed since the last delivery from this browser. Deliver only if the values above are correct.`,
      },
      split: {
        title: "The target is not the same for all agents",
        body: "All agents of a connection have the same target. Do not deliver. Report this to the administrator of this deployment.",
      },
    },
    chooseOne: "Choose at least one agent.",
    confirmTarget: "Confirm the target to continue.",
  },
  verify: {
    title: "Is each key really the agent's?",
    run: {
      linux: (agents: readonly string[]) => `On ${agents.join(", ")}, run:`,
      windows: (agents: readonly string[]) => `On ${agents.join(", ")}, in PowerShell as administrator, run:`,
    },
    command: "Print the fingerprint",
    paste: "Then paste what it prints.",
    withoutService: (command: ReactNode, ofNpmStart: ReactNode) =>
      rich`If the agent is not a service, run ${command} as its user, with its settings file, or without --env-file when it has none. For the agent of npm start, see ${ofNpmStart}.`,
    onThisMachine: "On this machine",
    why: "Why?",
    reason:
      "This browser encrypts the secret for each agent with the agent's key, which it gets from the service. A different fingerprint may belong to an attacker, who could then read the secret.",
    label: "Keys to compare",
    fingerprint: "Key fingerprint",
    field: (agent: string) => `Fingerprint that ${agent} prints`,
    placeholder: "Paste it here to compare",
    matches: "It matches.",
    byEye: (agent: string) => `I compared it by eye: ${agent} prints the same`,
    incomplete: "This contains no whole fingerprint. Copy the 43 characters.",
    other: (agent: string) =>
      `This is another fingerprint. Check that you ran the command on ${agent}. If you did, do not deliver to it, and report this to the administrator of this deployment.`,
    changed: {
      title: "This fingerprint has changed",
      body: (former: ReactNode) =>
        rich`The earlier fingerprint was ${former}. A change is expected when the agent's vault was created again: after a new key, or on another machine. Otherwise the key may belong to an attacker.`,
    },
    known: (agents: readonly string[]) => `Compared in this browser before: ${agents.join(", ")}.`,
    allKnown: "There is nothing to compare: you compared every key in this browser before.",
    missing: (agents: readonly string[]) => `Not compared yet: ${agents.join(", ")}. To leave an agent out, go back.`,
  },
  secret: {
    title: "Enter the secret",
    for: (agents: readonly string[]) => `It is encrypted in this browser for ${agents.join(", ")}.`,
    choice: "Which secret",
    submit: (agents: number) =>
      agents < 2 ? "Encrypt and deliver" : `Encrypt and deliver to ${count(agents, "agent")}`,
    invalid: (problem: string) => `The credential ${problem}.`,
    empty: "is empty: enter at least one secret",
    fromFile: "Load from a file",
    fileOf: (label: string) => `${label}: file`,
    fileTooLarge: "The file is larger than 1 MiB. Choose a smaller one.",
    fileUnreadable: "The file could not be read. Paste its content instead.",
    it: "It",
    free: {
      help: "Scripts read each secret by its name. A delivery replaces all secrets of this connection on the agents.",
      row: (number: number) => `Secret ${number}`,
      value: "Value",
      remove: (name: string) => `Remove secret ${name}`,
      add: "Add a secret",
      badName: "Use only letters, digits and _, so that scripts can read the secret.",
      noName: "It needs a name.",
      noValue: "It needs a value.",
      twice: "This name is used twice.",
    },
  },
  delivered: {
    title: "Delivery",
    waiting: (waiting: number, all: number) => `Encrypted and sent. Waiting for ${waiting} of ${all} to fetch it.`,
    failed: (failed: number, all: number) => `${failed} of ${all} did not accept it.`,
    done: (agents: number) =>
      agents === 1 ? "Delivered: the agent has it." : `Delivered: all ${count(agents, "agent")} have it.`,
    mayClose: "You can close this dialog: the connection's page shows the progress, too.",
    again: "Deliver again",
    test: "Test the connection",
  },
  test: {
    title: "Does it work?",
  },
};
