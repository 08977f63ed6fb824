/**
 * The attributes of a CloudEvent in binary mode: the headers `ce-*`, decoded (HTTP protocol binding 1.0, 3.1.3.2). Names
 * come in lower case.
 */
export function attributesOfHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const attributes: [string, string][] = [];
  for (const [name, value] of headers) {
    const attribute = /^ce-([a-z0-9]{1,64})$/u.exec(name.toLowerCase())?.[1];
    if (attribute !== undefined && attribute !== "data") attributes.push([attribute, decodeHeader(value)]);
  }
  return Object.fromEntries(attributes);
}

/** One round of percent-decoding, after taking off the quotes that an older sender may have put around it. */
function decodeHeader(value: string): string {
  const quoted = /^"(.*)"$/su.exec(value)?.[1];
  const text = quoted === undefined ? value : quoted.replaceAll(/\\(.)/gsu, "$1");
  return text.replaceAll(/(?:%[0-9a-f]{2})+/giu, decodeBytes);
}

/** What is no UTF-8 stays as it was sent. */
function decodeBytes(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}
