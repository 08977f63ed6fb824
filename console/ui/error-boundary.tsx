import { Component } from "react";
import type { ReactNode } from "react";
import { ApiProblem } from "../api/problem.ts";
import { ErrorState } from "./states.tsx";

/** Browsers' messages about a part of the console that did not load. They name a file, but not what to do. */
const NOT_LOADED = /imported module|importing a module|preload CSS/iu;

/** Shows the error of a page that fails, and keeps the rest of the console. Retry reloads the page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={plainError(this.state.error)} retry={() => location.reload()} />;
  }
}

function plainError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiProblem || !NOT_LOADED.test(error.message)) return error;
  if (!navigator.onLine) {
    return new Error("You are offline. This page was not loaded before. Reload it when the network is back.", {
      cause: error,
    });
  }
  return new Error(
    "A part of the console could not be loaded. The service does not answer, or it was updated since you opened this page. Reload the page.",
    { cause: error },
  );
}
