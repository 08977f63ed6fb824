import { nearestValue } from "../contract/nearest-value.ts";

export interface Misspelt {
  name: string;
  /** The setting that may be meant. */
  meant: string;
}

/**
 * The names that are nearly a setting's. An environment holds many variables of other programs. A slip of the finger
 * keeps the first letter, so that FTP_PROXY and DB_USER are not reported as HTTP_PROXY and JOB_USER.
 */
export function misspelt(names: readonly string[], settings: readonly string[]): Misspelt[] {
  return names.flatMap((name) => {
    if (settings.includes(name)) return [];
    const first = name.charAt(0).toUpperCase();
    const meant = nearestValue(
      settings.filter((setting) => setting.charAt(0).toUpperCase() === first),
      name,
    );
    return meant === null ? [] : [{ name, meant }];
  });
}
