import { Suspense, lazy } from "react";
import { LoadingState } from "../../../ui/states.tsx";
import type { Draft } from "../model/commands.ts";

const TextDifference = lazy(() => import("../yaml/text-difference.tsx"));

/** The differences between two drafts as YAML. */
export function DraftDifference(props: { before: Draft; after: Draft; labels: readonly [string, string] }) {
  return (
    <Suspense fallback={<LoadingState label="Loading the difference" />}>
      <TextDifference {...props} />
    </Suspense>
  );
}
