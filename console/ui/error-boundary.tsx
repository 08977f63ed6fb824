import { Component } from "react";
import type { ReactNode } from "react";
import { ApiProblem } from "../api/problem.ts";
import { shell } from "../strings/en/shell.ts";
import { ErrorState } from "./states.tsx";

const text = shell.notLoaded;

/** Browsers' messages about a part of the console that did not load. They name a file, but not what to do. */
const NOT_LOADED = /imported module|importing a module|preload CSS/iu;

const AGAIN_MS = 1_000;

/** Shows the error of a page that fails, and keeps the rest of the console. Retry reloads the page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error: isNotLoaded(error) ? notLoaded(error) : error };
  }

  override componentDidMount(): void {
    addEventListener("online", this.#reload);
  }

  override componentWillUnmount(): void {
    removeEventListener("online", this.#reload);
    clearTimeout(this.#again);
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} retry={() => location.reload()} />;
  }

  #again: ReturnType<typeof setTimeout> | undefined;

  /** A page that needed the network. A reload before the service answers would leave the console. */
  readonly #reload = async () => {
    if (!(this.state.error instanceof Error) || this.state.error.message !== text.offline) return;
    try {
      await fetch("/", { method: "HEAD" });
    } catch {
      this.#again = setTimeout(this.#reload, AGAIN_MS);
      return;
    }
    location.reload();
  };
}

function isNotLoaded(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof ApiProblem) && NOT_LOADED.test(error.message);
}

function notLoaded(cause: Error): Error {
  return new Error(navigator.onLine ? text.missing : text.offline, { cause });
}
