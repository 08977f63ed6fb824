/**
 * What one look at the installation found. `skip`: it is not there and hinders nothing, or another failure comes before
 * it. `advice` is what to do; null where nothing is to be done.
 */
export interface Check {
  name: string;
  status: "ok" | "warn" | "fail" | "skip";
  found: string;
  advice: string | null;
}

/** The functions that make checks of one name. */
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
