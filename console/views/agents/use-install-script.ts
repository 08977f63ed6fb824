import { useQuery } from "@tanstack/react-query";
import { readProblem } from "../../api/problem.ts";

/** This deployment's install script. Its 404 says that no agent is published here, and how to publish one. */
export function useInstallScript() {
  return useQuery({
    queryKey: ["/install.sh"],
    queryFn: async ({ signal }) => {
      const response = await fetch("/install.sh", { signal });
      if (!response.ok) throw await readProblem(response);
      return response.text();
    },
    staleTime: 60_000,
  });
}
