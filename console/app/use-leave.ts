import { useLocation } from "wouter";
import { isOutcomeUnknown } from "../api/problem.ts";
import { toastFailure } from "../ui/toast.tsx";
import { useSignOut } from "./session.tsx";
import { shell } from "../strings/en/shell.ts";

/** Signs out, and says so when that failed. The next person to sign in begins at the overview. */
export function useLeave(): () => Promise<void> {
  const signOut = useSignOut();
  const [, navigate] = useLocation();
  return async () => {
    try {
      await signOut();
      navigate("/");
    } catch (error) {
      toastFailure(isOutcomeUnknown(error) ? shell.account.maybeSignedIn : shell.account.stillSignedIn, error);
    }
  };
}
