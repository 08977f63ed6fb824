import { modals } from "@mantine/modals";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect } from "react";
import type { ReactNode } from "react";
import { call, whenForbidden, whenSignedOut } from "../api/client.ts";
import type { MeView, Permission } from "../../schema/contract/people.ts";
import { ApiProblem } from "../api/problem.ts";
import { notifyOtherTabs, onOtherTabChange } from "./other-tabs.ts";

const ME_KEY = ["/api/v1/auth/me"] as const;
/** Whether the session ended without a sign-out: the sign-in page then says so. */
const ENDED_KEY = ["session-ended"] as const;
const MeContext = createContext<MeView | null>(null);

/** Who is signed in; null when no one is. Never throws: an unreachable service is an error of the query. */
export function useWhoIsSignedIn() {
  const queries = useQueryClient();
  useEffect(() => {
    // The end of the session shows the sign-in immediately and hides everything that was read.
    whenSignedOut(() => forgetSession(queries, { hasEnded: true }));
    // Reads the permissions again, so that the page no longer offers what it may not do.
    whenForbidden(() => void queries.invalidateQueries({ queryKey: ME_KEY }));
    // All open tabs show the same session.
    return onOtherTabChange(() => void queries.invalidateQueries({ queryKey: ME_KEY }));
  }, [queries]);
  return useQuery<MeView | null>({
    queryKey: ME_KEY,
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<MeView | null>(ME_KEY) ?? null;
      const now = await whoIsSignedIn(signal);
      const isSame = before?.user?.id === now?.user?.id;
      // The session ended, or another tab signed in as another person, who must not see what was read.
      if (before !== null && !isSame) clearWhatWasRead(queries, { hasEnded: now === null });
      return now;
    },
    staleTime: 60_000,
    refetchInterval: 5 * 60_000,
    refetchOnWindowFocus: "always",
  });
}

async function whoIsSignedIn(signal: AbortSignal): Promise<MeView | null> {
  try {
    return await call("GET", "/api/v1/auth/me", {}, { signal });
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null;
    throw error;
  }
}

/** Drops everything that was read, and shows the sign-in. */
function forgetSession(queries: QueryClient, { hasEnded }: { hasEnded: boolean }): void {
  if (queries.getQueryData<MeView | null>(ME_KEY) === null) return;
  // A pending answer belongs to the session that ended.
  void queries.cancelQueries();
  queries.setQueryData<MeView | null>(ME_KEY, null);
  clearWhatWasRead(queries, { hasEnded });
}

/** Dialogs and messages are outside of the page, and may show what was read as well. */
function clearWhatWasRead(queries: QueryClient, { hasEnded }: { hasEnded: boolean }): void {
  modals.closeAll();
  notifications.clean();
  queries.getMutationCache().clear();
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_KEY[0] });
  queries.setQueryData<boolean>(ENDED_KEY, hasEnded);
}

/** For the sign-in page: whether a session has just ended in this tab without a sign-out. */
export function useHasEnded(): boolean {
  const { data } = useQuery({ queryKey: ENDED_KEY, queryFn: () => false, initialData: false, staleTime: Infinity });
  return data;
}

/** After a sign-in, reads again who is signed in. Throws an ApiProblem when the service does not answer. */
export function useSignedIn(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.refetchQueries({ queryKey: ME_KEY }, { throwOnError: true });
    queries.setQueryData<boolean>(ENDED_KEY, false);
    notifyOtherTabs();
  };
}

/** Signs out; also works when the session has already ended. Throws an ApiProblem when the outcome is unknown. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    try {
      await call("POST", "/api/v1/auth/logout", {});
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 401)) throw error;
    }
    forgetSession(queries, { hasEnded: false });
    notifyOtherTabs();
  };
}

export function MeProvider({ me, children }: { me: MeView; children: ReactNode }) {
  // The key resets all state for another person, who must not see what was typed or opened.
  return (
    <MeContext key={me.actor} value={me}>
      {children}
    </MeContext>
  );
}

/** The person who is signed in. Throws outside of MeProvider. */
export function useMe(): MeView {
  const me = useContext(MeContext);
  if (me === null) throw new Error("useMe outside of MeProvider");
  return me;
}

/** Whether the person who is signed in has a permission. The console does not offer what they may not do. */
export function useCan(permission: Permission): boolean {
  return useMe().permissions.includes(permission);
}
