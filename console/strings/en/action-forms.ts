import type { CodeLanguage, Effect } from "../../../schema/contract/action-types.ts";
import type { CredentialStatus } from "../../../schema/contract/credential.ts";
import type { NamedKind } from "../../../worker/domain/graph/name-for-value.ts";
import type { ReactNode } from "react";
import { number, someOf } from "../format.ts";
import { rich } from "../rich.ts";

const FREE_TEXT = "Pass free text as an environment variable";
const PLAIN_ONLY =
  "Templates take only letters, digits and _ . : / - here (next to other text, not : and /). Any other character makes the step fail.";

/** The form of an action: its connection, parameters, code and limits. */
export const actionForms = {
  action: "Action",
  noAction: "No action matches.",
  connectionHint: "The system that the action works on.",
  target: {
    label: "Host",
    hint: (hosts: readonly string[]) => `One of the connection's hosts: ${someOf(hosts)}.`,
    example: "web-1.example.org",
  },
  channelHint: "Optional. With a connection, you can turn off its notifications in one place.",
  unknown: (name: ReactNode) => rich`${name} is not a parameter of this action.`,
  problem: (name: ReactNode, problem: string) => rich`${name} ${problem}`,
  remove: (name: string) => `Remove ${name}`,
  /** Whether an action can be repeated safely. */
  effects: {
    read: "Only reads. If its agent is lost, the action runs again.",
    idempotent: "Safe to repeat. If its agent is lost, the action runs again.",
    unsafe: "Not safe to repeat. If its agent is lost, the action fails and does not run again by itself.",
  } satisfies Record<Effect, string>,

  limits: {
    title: "Time limits and retries",
    time: "Time limit",
    timeHint: "Counted from the start on the agent. After this time, the action is stopped and fails.",
    queue: "Maximum wait for an agent",
    queueHint: "After this time, the action fails without running. When empty, it waits as long as the run lasts.",
    noLimit: "No limit",
    attempts: "Maximum attempts",
    attemptsHint: "1 means no retry.",
    backoff: "Seconds between attempts",
    backoffHint: "The pause before each retry.",
    lost: "If the agent is lost",
    lostHint: "The agent stopped or lost its network during the action. Whether the action was carried out is unknown.",
    lostDefault: "Default: run again if the action is safe to repeat, otherwise fail",
    lostFail: "Always fail",
    lostRetry: "Always run again",
  },

  connection: {
    choose: "Choose a connection",
    none: (type: string) => `No ${type} connection yet`,
    noMatch: "No connection matches.",
    unknown: "Unknown connection",
    notLoaded: (reason: string) => `The connections could not be loaded. ${reason}`,
    open: (name: string) => `Open ${name}`,
    create: (type: string) => `New ${type} connection (opens a new tab)`,
    disabled: "disabled",
    noAgent: "no agent or pool",
    credential: {
      pending: "credential pending",
      delivered: "credential delivered",
      failed: "credential failed",
      expired: "credential expired",
    } satisfies Record<CredentialStatus, string>,
  },

  params: {
    notSet: "Not set",
    example: (value: string) => `such as ${value}`,
    default: (value: string) => `Default: ${value}`,
    yes: "Yes",
    no: "No",
    range: (min: number, max: number) => `A number from ${number(min)} to ${number(max)}, or a template.`,
    secretsFrom: "Secrets from",
    secretsFromHint: "A custom connection. The script gets its secrets as environment variables of the same names.",
  },

  code: {
    label: (label: string, language: string) => `${label} (${language})`,
    fullScreen: (label: string) => `Open ${label.toLowerCase()} full screen`,
    done: "Done",
    languages: {
      bash: "Bash",
      sh: "sh",
      powershell: "PowerShell",
      python: "Python",
      cmd: "cmd.exe",
      sql: "SQL",
      unknown: "other language",
    } satisfies Record<CodeLanguage | "unknown", string>,
    /** How values get into code: plain words in templates, any other text by name. */
    templates: {
      bash: `${PLAIN_ONLY} ${FREE_TEXT}, and write "$NAME".`,
      sh: `${PLAIN_ONLY} ${FREE_TEXT}, and write "$NAME".`,
      powershell: `Write templates inside strings. ${PLAIN_ONLY} ${FREE_TEXT}, and write $env:NAME.`,
      python: `Write templates inside strings. ${PLAIN_ONLY} ${FREE_TEXT}, and write os.environ["NAME"].`,
      sql: "Templates are bound parameters: they take any value and need no quotes. :name is the parameter of that name. Table and column names cannot be templates.",
      cmd: "Templates take only letters, digits and _ . - here. Any other character makes the step fail.",
      unknown: "Templates work only in bash, sh, Python and pwsh. Pass values as environment variables or arguments.",
    } satisfies Record<CodeLanguage | "unknown", string>,
  },

  insert: {
    title: "Insert a value",
    value: "Value",
    valueHint: "A path that is available when this step runs.",
    example: "such as webhook.title",
    noPath: "This is not a path.",
    inPlace: "Insert in place",
    passAs: {
      env: "Pass as environment variable",
      parameters: "Pass as parameter",
    } satisfies Record<NamedKind, string>,
    kinds: { env: "environment variables", parameters: "parameters" } satisfies Record<NamedKind, string>,
    insideQuotes: "Values cannot be inserted inside quotes. Move the cursor outside the quotes.",
    inserted: (value: string) => `Inserted ${value}.`,
    oneTemplate: (kind: string) => `The ${kind} come from one template. Use rows instead, then insert again.`,
    added: (name: string, kind: string) => `Added ${name} to the ${kind}. How to read it depends on the language.`,
    insertedAndAdded: (value: string, name: string, kind: string) =>
      `Inserted ${value} and added ${name} to the ${kind}.`,
    needsImport: (done: string) => `${done} The script needs: import os`,
  },
};
