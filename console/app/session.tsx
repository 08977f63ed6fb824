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
/** Whether the session ended by itself, and not because somebody signed out: the sign-in says so. */
const ENDED_KEY = ["the session has ended"] as const;
const MeContext = createContext<MeView | null>(null);

/** Who is signed in: null for nobody. Throws nothing; a service that does not answer is an error of the query. */
export function useWhoIsSignedIn() {
  const queries = useQueryClient();
  useEffect(() => {
    // A session that ends shows the sign-in at once, and nothing that it had read.
    whenSignedOut(() => forgetSession(queries, { hasEnded: true }));
    // What somebody may not do any more is not offered any longer.
    whenForbidden(() => void queries.invalidateQueries({ queryKey: ME_KEY }));
    // A tab that stands open beside this one shows no more than this one does.
    return onOtherTabChange(() => void queries.invalidateQueries({ queryKey: ME_KEY }));
  }, [queries]);
  return useQuery<MeView | null>({
    queryKey: ME_KEY,
    queryFn: async ({ signal }) => {
      const before = queries.getQueryData<MeView | null>(ME_KEY) ?? null;
      const now = await whoIsSignedIn(signal);
      const isSame = before?.user?.id === now?.user?.id;
      // Ended meanwhile, or another tab has signed in as somebody else: what was read is not theirs.
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
  // An answer that is still under way is of the session that ended.
  void queries.cancelQueries();
  queries.setQueryData<MeView | null>(ME_KEY, null);
  clearWhatWasRead(queries, { hasEnded });
}

/** Dialogs and messages stand outside of the page, and may show what was read, too. */
function clearWhatWasRead(queries: QueryClient, { hasEnded }: { hasEnded: boolean }): void {
  modals.closeAll();
  notifications.clean();
  queries.getMutationCache().clear();
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_KEY[0] });
  queries.setQueryData<boolean>(ENDED_KEY, hasEnded);
}

/** For the sign-in: whether a session has just ended here by itself. */
export function useHasEnded(): boolean {
  const { data } = useQuery({ queryKey: ENDED_KEY, queryFn: () => false, initialData: false, staleTime: Infinity });
  return data;
}

/** Reads again who is signed in, after a sign-in. Throws an ApiProblem when the service does not tell. */
export function useSignedIn(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await queries.refetchQueries({ queryKey: ME_KEY }, { throwOnError: true });
    queries.setQueryData<boolean>(ENDED_KEY, false);
    notifyOtherTabs();
  };
}

/** Ends the session. One that has ended already is left, too; throws an ApiProblem when that is not known. */
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
  // Another person begins anew: nothing that was typed or opened is theirs.
  return (
    <MeContext key={me.actor} value={me}>
      {children}
    </MeContext>
  );
}

/** Who is signed in; only below MeProvider, where somebody is. */
export function useMe(): MeView {
  const me = useContext(MeContext);
  if (me === null) throw new Error("useMe outside of MeProvider");
  return me;
}

/** Whether whoever is signed in holds a permission: what they may not do is not offered. */
export function useCan(permission: Permission): boolean {
  return useMe().permissions.includes(permission);
}
