import type { ReactNode } from "react";
import type { SignInFailure } from "../../../schema/contract/people.ts";
import { rich } from "../rich.ts";

/** The pages without a session: the sign-in and the set-up of a new deployment. */
export const signIn = {
  product: "Bellhop",
  documentTitle: (title: string) => `${title} · Bellhop`,
  signIn: "Sign in",
  ended: { title: "Your session has ended", next: "Sign in again to continue where you were." },
  notSignedIn: "You are not signed in",
  or: "or",
  withOrganisation: "Sign in with your organisation",

  unreachable: "The service does not answer. Check your network, then try again.",
  invalid: "Some fields are invalid. Correct them, then try again.",
  wrongPassword: (message: string) => `${message} Try again, or ask an administrator for a new password.`,
  /** Why a sign-in with the organisation failed. */
  failures: {
    "not-begun": "This sign-in was not started in this browser, or it took longer than ten minutes. Start again.",
    refused: "Your organisation's sign-in refused or cancelled the sign-in. Start again, or ask its administrator.",
    "issuer-away": "Your organisation's sign-in does not answer. Try again in a moment.",
    "bad-answer":
      "Your organisation's sign-in gave an invalid answer. Start again. If this happens again, an administrator can find the reason in the service's log.",
    disabled: "Your account is disabled. Ask an administrator of this deployment.",
    "no-role": "Your organisation's sign-in does not give you a role in this deployment. Ask an administrator for one.",
    "no-email": "Your organisation's sign-in does not send your email address. Ask its administrator.",
    "unverified-email":
      "Your organisation's sign-in does not confirm your email address. Verify it there, or ask its administrator.",
    "other-account":
      "Your email address belongs to a user with another account at your organisation's sign-in. An administrator can delete that user.",
    "not-private": "Signing in requires https. Open this page by its https URL.",
    "not-set-up": "Signing in with your organisation is not set up here. Use your email and password.",
    failed: "The sign-in could not be completed. Start again in a moment.",
  } satisfies Record<SignInFailure, string>,

  /** The set-up: the first administrator. */
  setUp: {
    title: "Set up Bellhop",
    form: "Set up",
    intro:
      "This deployment has no administrator yet. Create the first one with the bootstrap token. You find the token:",
    onYourMachine: (command: ReactNode) => rich`on your machine, in the output of ${command}`,
    inProduction: (secret: ReactNode) => rich`in production, as the secret ${secret} of the deployment`,
    token: "Bootstrap token",
    wrongToken: "This is not the bootstrap token of this deployment.",
    name: "Your name",
    email: "Your email",
    submit: "Create admin account",
    /** The organisation's sign-in can create the first administrator, too. */
    otherwise: (link: ReactNode) => rich`Does your organisation assign roles? ${link}`,
    signInInstead: "Sign in instead",
    failure: {
      notCreated: "The administrator was not created",
      notSignedIn: "The administrator was created, but you are not signed in yet",
      wrongToken: "The bootstrap token is wrong. Check that you copied all of it.",
    },
    done: {
      title: "You are the administrator",
      next: "You are signed in. Create accounts for others under Settings, Users.",
      removeToken: "In production: remove the bootstrap token",
      whyRemove: (secret: ReactNode) =>
        rich`Anyone with the token can do everything. Sign in once more to check your account, then remove the secret ${secret} from the deployment. If no one can sign in, you can set it again.`,
      submit: "Go to the overview",
    },
  },
};
