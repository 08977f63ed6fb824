import type { ReactNode } from "react";
import type { NotificationChannel } from "../../../schema/contract/notification.ts";
import type { NotificationChannelView } from "../../../schema/contract/notification-channel.ts";
import type { Permission, Role, UserView } from "../../../schema/contract/people.ts";
import { number } from "../format.ts";
import { rich } from "../rich.ts";

type SignIn = Pick<UserView, "hasPassword" | "hasOidcAccount">;

/** The pages of the settings. The audit log has its own catalogue. */
export const settings = {
  tabs: {
    account: "Your account",
    users: "Users",
    roles: "Roles",
    tokens: "API tokens",
    audit: "Audit log",
    retention: "Retention",
    limits: "Limits",
    notifications: "Notifications",
  },
  role: "Role",
  newPassword: "New password",
  permissions: "Permissions",
  signInMethod: "Sign-in method",
  lastSignIn: "Last sign-in",
  enabled: "Enabled",
  disabled: "Disabled",

  signIn({ hasPassword, hasOidcAccount }: SignIn): string {
    if (hasPassword) return hasOidcAccount ? "Password and organisation" : "Password";
    return hasOidcAccount ? "Organisation" : "Organisation (not used yet)";
  },

  account: {
    roleWithLink: (role: string, link: ReactNode) => rich`${role} (${link})`,
    whatRolesMayDo: "what each role may do",
    sessionEnds: "Session ends",
    noPassword:
      "You sign in through your organisation and have no password here. An administrator can set one for you.",
    passwordForm: "Change your password",
    currentPassword: "Current password",
    otherSessions: "Your other sessions end when you change the password.",
    change: "Change password",
    changed: "Password changed. Your other sessions have ended.",
    notChanged: "Your password was not changed",
  },

  keepTokens: {
    mine: "Keep my API tokens",
    theirs: "Keep this user's API tokens",
    /** `tokens` is undefined while their number is unknown. */
    otherwise(isMine: boolean, tokens: number | undefined, isMore: boolean): string {
      const whose = isMine ? "your" : "their";
      if (tokens === undefined) return `Otherwise ${whose} API tokens are deleted.`;
      if (isMore) return `Otherwise more than ${number(tokens)} API tokens are deleted.`;
      if (tokens === 1) return `Otherwise ${whose} API token is deleted.`;
      return `Otherwise ${whose} ${number(tokens)} API tokens are deleted.`;
    },
  },

  users: {
    intro: "People sign in with their email address and a password.",
    introWithOrganisation:
      "People sign in with a password or through your organisation. A sign-in through the organisation can create an account.",
    none: { title: "No users yet", help: "Create the first one with “New user”." },
    account: "Account",
    you: (name: string) => `${name} (you)`,
    changed: (name: string) => `Saved the changes to ${name}.`,
    notChanged: "The user was not changed",
    deleted: (name: string) => `Deleted ${name}.`,
    notDeleted: "The user was not deleted",
  },

  createUser: {
    title: "New user",
    submit: "Create user",
    passwordOrOrganisation: "Password (leave empty if the user signs in through your organisation)",
    done: (name: string) => `${name} can sign in now.`,
  },

  editUser: {
    title: (email: string) => `Edit ${email}`,
    notYourself: "You cannot disable yourself. Ask another administrator.",
    effect: "A disabled user cannot sign in. All sessions of the user end.",
  },

  resetPassword: {
    title: (email: string) => `Set a new password for ${email}`,
    submit: "Set password",
    intro:
      "Copy the password before you set it: it is not shown again. All sessions of the user end. The user can change the password under Settings → Your account.",
    done: (name: string) => `${name} has a new password.`,
  },

  userActions: {
    label: (name: string) => `Change ${name}`,
    setPassword: "Set a new password",
    removePassword: "Remove the password",
    disableYourself: "Disable (not your own account)",
    deleteYourself: "Delete (not your own account)",
    disable: {
      title: (name: string) => `Disable ${name}?`,
      consequence: (email: string) =>
        `${email} is signed out everywhere immediately and cannot sign in. The user's API tokens do not work while the account is disabled.`,
      keep: "Keep enabled",
    },
    takePassword: {
      title: (name: string) => `Remove the password of ${name}?`,
      consequence: (email: string) => `${email} is signed out, and can then sign in only through your organisation.`,
      confirm: "Remove password",
      keep: "Keep password",
    },
    remove: {
      title: (name: string) => `Delete ${name}?`,
      consequence: (email: string) =>
        `${email} is deleted with all sessions and API tokens. This cannot be undone. The audit log keeps the user's entries.`,
      organisation:
        "If this person can still sign in through your organisation, the next sign-in creates a new user. To prevent that, disable the user instead.",
      keep: "Keep user",
    },
  },

  roles: {
    intro:
      "Every user has one role. An API token has its own permissions, which never exceed those of its owner's role.",
    label: "Roles and their permissions",
    yours: (role: Role) => `${role} (yours)`,
    permission: "Permission",
    roles: "Roles",
    yes: "yes",
    no: "no",
  },
  /** The purpose of each role. */
  purposes: {
    viewer: "Sees everything and changes nothing.",
    operator: "For on-call work: runs and cancels workflows, answers approvals and handles incidents.",
    editor: "Does what an operator does, and creates workflows and connections. Cannot deliver credentials.",
    admin: "Does everything, and manages agents, credentials and users.",
  } satisfies Record<Role, string>,
  /** The actions that each permission allows. */
  allows: {
    "automation:read": "See workflows, executions, agents, connections, incidents and integrations.",
    "automation:write": "Create, edit, publish and delete workflows, with their schedules and webhook keys.",
    "code:write":
      "Change and publish steps that run code (scripts, SSH, WinRM, SQL, Kubernetes, HTTP calls that write), and change where it runs.",
    "automation:execute": "Run workflows manually, cancel and retry runs, and test connections.",
    "automation:approve": "Approve or reject runs that wait for approval.",
    "connections:write": "Create, edit and delete connections.",
    "credentials:write": "Deliver and withdraw credentials, and set who may use them.",
    "agents:write": "Create, edit, disable and delete agents, and regenerate their keys.",
    "incidents:write": "Open, acknowledge, escalate, reassign and resolve incidents.",
    admin: "Manage users and integrations, see everyone's API tokens, and read the audit log.",
  } satisfies Record<Permission, string>,

  tokens: {
    intro:
      "Scripts and services call the API with a token. A token never has more permissions than its owner. It is deleted with its owner and, unless tokens are kept, when the owner is disabled or changes the password.",
    create: "New token",
    whose: "Whose tokens",
    mine: "Mine",
    everyones: "Everyone's",
    youHaveNone: "You have no API tokens",
    nobodyHasOne: "No one has an API token",
    emptyHelp: "Create one token for each script or service, so that you can delete each separately.",
    owner: "Owner",
    ownerless: "none (created with the bootstrap token)",
    lastUsed: "Last used",
    expires: "Expires",
    expired: "Expired",
    expiresSoon: "Soon",
    delete: (name: string) => `Delete the token ${name}`,
    deleted: (name: string) => `Deleted the token ${name}.`,
    notDeleted: "The token was not deleted",
    confirmDelete: {
      title: (name: string) => `Delete the token ${name}?`,
      body: "Calls with this token are refused immediately. This cannot be undone.",
      keep: "Keep token",
    },
  },

  createToken: {
    title: "New API token",
    submit: "Create token",
    nameHelp: "The script or service that will use this token.",
    namePlaceholder: "Nightly report",
    permissionsHelp: "Select only the permissions that it needs.",
    choosePermission: "Choose at least one.",
    notYours: "You do not have this permission, so your token cannot have it.",
    expiries: {
      "30": "In 30 days",
      "90": "In 90 days",
      "365": "In a year",
      day: "On a date",
      never: "Never",
    },
    date: "Date",
    futureDate: "Choose a date in the future.",
  },

  newToken: {
    title: (name: string) => `The token ${name} was created`,
    secret: "API token",
    usage: (variable: ReactNode) =>
      rich`Send it as a bearer token. If the environment variable ${variable} contains the token, this command shows its owner and permissions:`,
    example: "Example",
    done: "I have copied it",
  },

  notifications: {
    title: "Channels",
    intro: (action: ReactNode) =>
      rich`The service sends email, text messages and signed webhooks through these channels: for receivers, and for the action ${action}. Slack and Teams need no channel. The operator can also set a channel up in the environment of the service.`,
    channels: {
      email: "Email",
      sms: "Text message",
      webhook: "Webhook",
    } satisfies Record<NotificationChannel, string>,
    isSetUp: "Set up",
    isNotSetUp: "Not set up",
    inWorkflow: "In a workflow",
    from: "From",
    sentThrough: "Sent through",
    transports: {
      smtp: "a mail server (SMTP)",
      http: "an HTTP API",
    } satisfies Record<NonNullable<NotificationChannelView["transport"]>, string>,
    toSetUp: "Set it up here, or in the environment:",
    toRepair: "To do:",
  },
};
