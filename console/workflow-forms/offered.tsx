import { createContext, useContext, useMemo } from "react";
import type { ReactNode } from "react";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import { completionsAt } from "./completions.ts";
import type { Completion } from "./completion.ts";

type Offered = () => readonly Completion[];
const OfferedContext = createContext<Offered>(() => []);

/** Says to every field below which paths its templates may name. They are worked out when somebody first asks. */
export function OfferedPaths({ paths, children }: { paths: Offered; children: ReactNode }) {
  return <OfferedContext value={paths}>{children}</OfferedContext>;
}

export function useOfferedPaths(): Offered {
  return useContext(OfferedContext);
}

/** What may be named at a node of a draft. */
export function usePathsAt(draft: WorkflowInput, nodeId: string, variables: JsonObject): Offered {
  return useMemo(() => {
    let found: readonly Completion[] | null = null;
    return () => (found ??= completionsAt(draft, nodeId, variables));
  }, [draft, nodeId, variables]);
}
