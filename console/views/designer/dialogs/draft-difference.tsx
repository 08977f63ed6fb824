import { Suspense, lazy } from "react";
import { LoadingState } from "../../../ui/states.tsx";
import type { Draft } from "../model/commands.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";

const TextDifference = lazy(() => import("../yaml/text-difference.tsx"));

/** The differences between two drafts as YAML. */
export function DraftDifference(props: { before: Draft; after: Draft; labels: readonly [string, string] }) {
  return (
    <Suspense fallback={<LoadingState label={designerSaving.difference.loading} />}>
      <TextDifference {...props} />
    </Suspense>
  );
}
