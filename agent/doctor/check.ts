/**
 * The result of one check of the installation. `skip`: the thing is absent and not needed, or an earlier failure makes
 * the check impossible. `advice` says what to do; null when there is nothing to do.
 */
export interface Check {
  name: string;
  status: "ok" | "warn" | "fail" | "skip";
  found: string;
  advice: string | null;
}

/** Functions that make checks with this name. */
export function checksNamed(name: string) {
  return {
    ok: (found: string): Check => ({ name, status: "ok", found, advice: null }),
    warn: (found: string, advice: string): Check => ({ name, status: "warn", found, advice }),
    fail: (found: string, advice: string): Check => ({ name, status: "fail", found, advice }),
    skip: (found: string): Check => ({ name, status: "skip", found, advice: null }),
  };
}

export function failed(checks: readonly Check[]): boolean {
  return checks.some(({ status }) => status === "fail");
}
