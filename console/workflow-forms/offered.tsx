import { createContext, useContext, useMemo } from "react";
import type { ReactNode } from "react";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import { completionsAt } from "./completions.ts";
import type { Completion } from "./completion.ts";

type Offered = () => readonly Completion[];
const OfferedContext = createContext<Offered>(() => []);

/** Provides the paths that templates may name to the fields inside. They are computed on first use. */
export function OfferedPaths({ paths, children }: { paths: Offered; children: ReactNode }) {
  return <OfferedContext value={paths}>{children}</OfferedContext>;
}

export function useOfferedPaths(): Offered {
  return useContext(OfferedContext);
}

/** The paths that templates of a node may name. */
export function usePathsAt(draft: WorkflowInput, nodeId: string, variables: JsonObject): Offered {
  return useMemo(() => {
    let found: readonly Completion[] | null = null;
    return () => (found ??= completionsAt(draft, nodeId, variables));
  }, [draft, nodeId, variables]);
}
