import { useQuery } from "@tanstack/react-query";
import { readProblem } from "../../api/problem.ts";
import { isReleasedFor, originOfScript } from "./install-commands.ts";
import type { PlatformCommands } from "./install-commands.ts";

export interface InstallSource {
  /** This deployment's URL as agents call it. */
  origin: string;
  /** The platforms that the newest release has executables for. */
  platforms: readonly (keyof PlatformCommands)[];
}

/** What an agent can be installed from. The error of a deployment without a release says how to publish one. */
export function useInstallSource() {
  return useQuery({
    queryKey: ["/install.sh"],
    queryFn: async ({ signal }): Promise<InstallSource> => {
      const response = await fetch("/install.sh", { signal });
      if (!response.ok) throw await readProblem(response);
      const script = await response.text();
      const platforms = (["linux", "windows"] as const).filter((platform) => isReleasedFor(script, platform));
      return { origin: originOfScript(script) ?? location.origin, platforms };
    },
    staleTime: 60_000,
  });
}
