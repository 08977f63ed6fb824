import { z } from "zod";

const partSchema = z.object({
  type: z.string(),
  disposition: z.string().nullable(),
  filename: z.string().nullable(),
  base64: z.string(),
});
const mailSchema = z.object({
  headers: z.record(z.string(), z.string()),
  /** The names of all headers, repeated ones included. */
  names: z.array(z.string()),
  defects: z.array(z.string()),
  parts: z.array(partSchema),
});

export interface ParsedMail extends z.infer<typeof mailSchema> {
  raw: string;
}

/** Parses a message with Python's library, which is independent of the writer. */
const PROGRAM = `
import sys, json, base64
from email import message_from_bytes, policy
message = message_from_bytes(sys.stdin.buffer.read(), policy=policy.default)
parts = [part for part in message.walk() if not part.is_multipart()]
json.dump({
  "headers": {name: str(value) for name, value in message.items()},
  "names": message.keys(),
  "defects": [repr(defect) for part in message.walk() for defect in part.defects],
  "parts": [{
    "type": part.get_content_type(),
    "disposition": part.get_content_disposition(),
    "filename": part.get_filename(),
    "base64": base64.b64encode(part.get_payload(decode=True) or b"").decode(),
  } for part in parts],
}, sys.stdout)
`;

export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  const child = Bun.spawn(["/usr/bin/python3", "-c", PROGRAM], { stdin: raw, stdout: "pipe", stderr: "pipe" });
  const [json, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`python3 could not read the message: ${problem}`);
  return { ...mailSchema.parse(JSON.parse(json)), raw: raw.toString("utf8") };
}

/** The text of the part with this type and name. */
export function partText(mail: ParsedMail, type: string, filename: string | null = null): string {
  const part = mail.parts.find((one) => one.type === type && one.filename === filename);
  if (part === undefined) throw new Error(`there is no ${type} ${filename ?? ""} in ${JSON.stringify(mail.parts)}`);
  return Buffer.from(part.base64, "base64").toString("utf8");
}
