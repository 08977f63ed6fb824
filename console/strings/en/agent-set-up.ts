import type { ReactNode } from "react";
import type { AgentStatus } from "../../../schema/contract/management.ts";
import { OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { rich } from "../rich.ts";
import { duration } from "../time.ts";

const REPLACES = "It works once, within an hour, and replaces an earlier code of this agent.";

/** How an agent is created, installed and given a key. */
export const agentSetUp = {
  create: {
    title: "New agent",
    nameHelp: "Often the machine's name.",
    exampleName: "web-1",
    exampleDescription: "Rack 3, restarts the shop",
    failed: "The agent was not created",
    open: "Go to the agent",
  },
  install: {
    title: (name: string) => `Install ${name}`,
    loading: "Loading the install commands",
    noRelease: "This agent cannot be installed from here yet",
    plainHttp: {
      title: "Agents refuse plain http to another machine",
      fix: "Serve the console over https, and set PUBLIC_URL to the https URL.",
    },
    command: `The install command contains an enrolment code. ${REPLACES}`,
    code: `An executable that you built yourself gets its key with an enrolment code. ${REPLACES}`,
    expired: "The enrolment code has expired. Create another one.",
    createCommand: "Create install command",
    createCode: "Create enrolment code",
    createAnother: "Create another code",
    failed: "No code was created",
    validity: (minutes: number) =>
      `The code in the command works once, within ${minutes} min. The machine exchanges it for the agent's key.`,
    onlyHere: (origin: string) =>
      `${origin} works only on the machine that runs the service. For other machines, set PUBLIC_URL.`,
  },
  platforms: { linux: "Linux", windows: "Windows", manual: "Run manually" },
  commands: {
    linux: {
      label: "Install on Linux",
      where: "Run on the machine:",
      note: "Installs the agent as a service. On Alpine, first run: apk add libstdc++ libgcc. Without systemd, the command prints how to start the agent.",
    },
    windows: {
      label: "Install on Windows",
      where: "Run in PowerShell as administrator:",
      note: "Installs the agent as a service.",
    },
    manualLinux: {
      label: "Run manually on Linux",
      where: "Linux, without root. The agent runs until Ctrl-C:",
    },
    manualWindows: {
      label: "Run manually on Windows",
      where: "Windows, in PowerShell, not as administrator. The agent runs until Ctrl-C:",
    },
    enrol: {
      label: "Enrol",
      where: "Run in the folder of the executable, which is dist/ after npm run build:agent:",
      note: "Writes the agent's key to a file, and prints how to start the agent.",
    },
    rekeyLinux: {
      label: "Set the new key",
      where: "Run in bash on the agent's machine. Paste the key when asked; it is not shown:",
    },
    rekeyWindows: {
      label: "Set the new key on Windows",
      where: "Run in PowerShell as administrator on the agent's machine. Paste the key when asked:",
    },
  },
  wait: {
    connected: (name: string, status: AgentStatus) => `${name} is ${status}`,
    facts: (version: string, machine: string, system: string, fingerprint: ReactNode) =>
      rich`Version ${version} on ${machine}, ${system}. Its public key has the fingerprint ${fingerprint}.`,
    waiting: "Waiting for the agent to connect. This message updates automatically.",
    lastFailed: (why: string) => `The last check failed: ${why}`,
    late: {
      title: "The agent has not connected yet",
      check: "Still waiting. On the agent's machine, check:",
      doctor: (command: ReactNode) => rich`${command}: lists each problem and how to fix it.`,
      log: (command: ReactNode) => rich`${command}: 401 means that the agent uses another key than its current one.`,
      network: (host: string) => `Whether the machine reaches ${host}. Set HTTPS_PROXY for a proxy.`,
    },
  },
  rekey: {
    title: (name: string) => `Regenerate the key of ${name}?`,
    effect: `The old key stops working immediately. The agent gets no jobs until you set the new key on its machine. Its current jobs are lost after ${duration(OFFLINE_AFTER_MS)}.`,
    vault: {
      title: "Its stored credentials become unreadable",
      loading: "Loading its connections",
      lost: "They are encrypted with the old key. Deliver the credentials of these connections again:",
      connection: (name: string, type: string) => `${name} (${type})`,
      noneDelivered:
        "No credential was delivered to it through Bellhop. Credentials that were set on its machine must be set again.",
      unknown:
        "Its connections could not be read. Deliver its credentials again, and set those again that were set on its machine.",
    },
    keep: "Keep key",
    regenerate: "Regenerate",
    failed: "The key was not changed",
    doneTitle: (name: string) => `The new key of ${name}`,
    key: "The agent's key",
    keyOnce:
      "The key is shown only once. The command below asks for it, so it stays out of your shell history and the process list. If you lose it, regenerate the key again.",
    keySaved: "I've saved the key",
  },
};
