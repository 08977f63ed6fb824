/** A name that a path can hold without brackets (worker/domain/template). */
const PLAIN = /^[^\s.{}"'`|[\]()]+$/u;

/** A path as a template spells it: `webhook.service`, `webhook["host name"]`. */
export function pathText([root = "", ...rest]: readonly string[]): string {
  return rest.reduce((path, part) => path + (PLAIN.test(part) ? `.${part}` : `["${part}"]`), root);
}
