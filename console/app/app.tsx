import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { createQueryClient } from "../api/queries.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ErrorState, LoadingState } from "../ui/states.tsx";
import { cssVariablesResolver } from "./css-variables.ts";
import { nonce } from "./nonce.ts";
import { OverlaysOnDemand } from "./overlays-on-demand.tsx";
import { MeProvider, useWhoIsSignedIn } from "./session.tsx";
import { Shell } from "./shell.tsx";
import { useKeptFocus } from "./use-kept-focus.ts";
import { colorSchemeManager, theme } from "./theme.ts";

const SignIn = lazy(() => import("../views/sign-in/sign-in.tsx"));

export function App() {
  const [queries] = useState(createQueryClient);
  useKeptFocus();
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      cssVariablesResolver={cssVariablesResolver}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <OverlaysOnDemand />
        <ErrorBoundary>
          <Entrance />
        </ErrorBoundary>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The console for a person who is signed in, the sign-in for everyone else. */
function Entrance() {
  const me = useWhoIsSignedIn();
  if (me.data === undefined && me.error !== null) return <ErrorState error={me.error} retry={() => me.refetch()} />;
  if (me.data === undefined) return <LoadingState />;
  if (me.data === null) {
    return (
      <Suspense fallback={<LoadingState />}>
        <SignIn />
      </Suspense>
    );
  }
  return (
    <MeProvider me={me.data}>
      <Shell />
    </MeProvider>
  );
}
