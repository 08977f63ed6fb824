/** AWS Signature Version 4 for one request to S3, as other storages with its interface take it, too. */

export interface SigningKey {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface UnsignedRequest {
  readonly method: "PUT";
  /** Its path is encoded already, and it has no query. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** In hexadecimal. */
  readonly bodySha256: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const encoder = new TextEncoder();

/** The headers to send: those of the request, the time, the body's hash and the signature over all of them. */
export async function signedHeaders(
  { method, url, headers, bodySha256 }: UnsignedRequest,
  key: SigningKey,
  now: number,
): Promise<Record<string, string>> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/gu, "");
  const given = { ...headers, "x-amz-content-sha256": bodySha256, "x-amz-date": time };
  const signed = Object.entries({ ...given, host: url.host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim()])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const canonical = [method, url.pathname, "", lines, names, bodySha256].join("\n");
  const day = time.slice(0, 8);
  const scope = `${day}/${key.region}/s3/aws4_request`;
  const text = [ALGORITHM, time, scope, await sha256(encoder.encode(canonical))].join("\n");
  let secret = encoder.encode(`AWS4${key.secretAccessKey}`);
  for (const part of [day, key.region, "s3", "aws4_request"]) secret = await hmac(secret, part);
  const signature = Buffer.from(await hmac(secret, text)).toString("hex");
  return {
    ...given,
    Authorization: `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** In hexadecimal. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

async function hmac(secret: Uint8Array, text: string): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}
