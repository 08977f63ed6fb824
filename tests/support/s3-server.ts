import { createHash, createHmac } from "node:crypto";

/**
 * A bucket of S3-compatible storage that takes PUT only, and is as strict as S3: it computes the signature (AWS
 * Signature Version 4) and the body's hash itself, and refuses a request whose time, scope or signed headers are wrong.
 */
export interface S3Server {
  /** With the bucket. */
  readonly url: string;
  /** The bodies, by key. */
  readonly objects: Map<string, string>;
  /** Every key that was put, in order, also those that were refused. */
  readonly puts: string[];
  /** What the next requests get instead: a status with a code of S3; null stores them. */
  fault: ((key: string) => { status: number; code: string } | null | Promise<null>) | null;
  stop(): Promise<void>;
}

export const S3_KEY = {
  region: "eu-central-1",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI+bPxRfiCYEXAMPLEKEY",
};
const BUCKET = "records";
const SKEW_MAX_MS = 15 * 60_000;
const NEEDED = ["content-type", "host", "x-amz-content-sha256", "x-amz-date"];

export function startS3(): S3Server {
  const objects = new Map<string, string>();
  const puts: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const body = Buffer.from(await request.arrayBuffer());
      const [, bucket, ...path] = pathname.split("/");
      const key = path.join("/");
      puts.push(key);
      const wrong =
        search === "" && request.method === "PUT" ? whyRefused(request, pathname, body) : [405, "MethodNotAllowed"];
      if (wrong !== null) return refusal(Number(wrong[0]), String(wrong[1]));
      if (bucket !== BUCKET) return refusal(404, "NoSuchBucket");
      const fault = (await s3.fault?.(key)) ?? null;
      if (fault !== null) return refusal(fault.status, fault.code);
      objects.set(key, body.toString("utf8"));
      return new Response(null, { headers: { ETag: `"${createHash("md5").update(body).digest("hex")}"` } });
    },
  });
  const s3: S3Server = {
    url: `http://127.0.0.1:${server.port}/${BUCKET}`,
    objects,
    puts,
    fault: null,
    stop: () => server.stop(true),
  };
  return s3;
}

function whyRefused({ method, headers }: Request, pathname: string, body: Buffer): [number, string] | null {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^,/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/u.exec(
      headers.get("Authorization") ?? "",
    );
  if (given === null) return [403, "AccessDenied"];
  const [, id, scope = "", names = "", signature] = given;
  if (id !== S3_KEY.accessKeyId) return [403, "InvalidAccessKeyId"];
  const time = headers.get("x-amz-date") ?? "";
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Math.abs(Date.now() - at) <= SKEW_MAX_MS)) return [403, "RequestTimeTooSkewed"];
  if (scope !== `${time.slice(0, 8)}/${S3_KEY.region}/s3/aws4_request`) return [400, "AuthorizationHeaderMalformed"];
  const signed = names.split(";");
  if (signed.toSorted().join(";") !== names || !NEEDED.every((name) => signed.includes(name)))
    return [403, "AccessDenied"];
  if (Number(headers.get("content-length")) !== body.length) return [411, "MissingContentLength"];
  const hash = sha256(body);
  if (headers.get("x-amz-content-sha256") !== hash) return [400, "XAmzContentSHA256Mismatch"];
  const lines = signed.map((name) => `${name}:${headers.get(name)?.trim()}\n`).join("");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256([method, pathname, "", lines, names, hash].join("\n"))].join(
    "\n",
  );
  const key = scope
    .split("/")
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${S3_KEY.secretAccessKey}`);
  return hmac(key, text).toString("hex") === signature ? null : [403, "SignatureDoesNotMatch"];
}

function refusal(status: number, code: string): Response {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return new Response(xml, { status, headers: { "Content-Type": "application/xml" } });
}

function sha256(data: Buffer | string): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
