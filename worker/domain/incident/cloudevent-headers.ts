/**
 * The attributes of a CloudEvent in binary mode: the decoded headers `ce-*` (HTTP protocol binding 1.0, 3.1.3.2). Their
 * names are in lower case.
 */
export function attributesOfHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const attributes: [string, string][] = [];
  for (const [name, value] of headers) {
    const attribute = /^ce-([a-z0-9]{1,64})$/u.exec(name.toLowerCase())?.[1];
    if (attribute !== undefined && attribute !== "data") attributes.push([attribute, decodeHeader(value)]);
  }
  return Object.fromEntries(attributes);
}

/** One round of percent-decoding, without the quotes that an older sender may have added. */
function decodeHeader(value: string): string {
  const quoted = /^"(.*)"$/su.exec(value)?.[1];
  const text = quoted === undefined ? value : quoted.replaceAll(/\\(.)/gsu, "$1");
  return text.replaceAll(/(?:%[0-9a-f]{2})+/giu, decodeBytes);
}

/** Bytes that are not UTF-8 stay encoded. */
function decodeBytes(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}
