import { ExecutorFailure } from "../../shared/failures.ts";

/** A batch may contain several statements without a separator, so all words decide, not only the first. */
const WRITING = new Set(
  [
    "INSERT UPDATE DELETE MERGE INTO TRUNCATE CREATE ALTER DROP GRANT REVOKE DENY EXEC EXECUTE BACKUP RESTORE KILL DBCC",
    "BEGIN COMMIT ROLLBACK SAVE SET USE DECLARE BULK WRITETEXT UPDATETEXT RECONFIGURE SHUTDOWN CHECKPOINT WAITFOR",
    "OPENQUERY OPENROWSET OPENDATASOURCE ENABLE DISABLE ADD SEND RECEIVE GOTO RAISERROR THROW REVERT SETUSER",
  ]
    .join(" ")
    .split(" "),
);
/** Takes a number from a sequence permanently, even when everything else is rolled back. */
const NEXT_VALUE = /\bNEXT\s+VALUE\s+FOR\b/iu;

/**
 * SQL Server has no read-only session. So a read-only action only takes text that begins with SELECT or WITH and has no
 * word that writes, and runs in a transaction that is rolled back. Throws `read_only`.
 */
export function refuseWrites(text: string): void {
  const word = firstWritingWord(text);
  if (word === null) return;
  const message = `The action is readOnly, and the statement ${word}. SQL Server has no session that only reads, so readOnly allows only SELECT and WITH without keywords that write. Put a column of such a name into brackets, or leave readOnly out and use a login that may only read.`;
  throw new ExecutorFailure("read_only", message);
}

function firstWritingWord(text: string): string | null {
  const code = withoutQuoted(text);
  const words = code.toUpperCase().match(/[\p{L}_@#$][\p{L}\p{N}_@#$]*/gu) ?? [];
  const [first] = words;
  if (first !== "SELECT" && first !== "WITH") return `begins with ${first ?? "no word"}`;
  const writing = words.find((word) => WRITING.has(word));
  if (writing !== undefined) return `has the word ${writing}`;
  return NEXT_VALUE.test(code) ? "takes the NEXT VALUE of a sequence" : null;
}

/** The text without comments, strings and quoted names. An unclosed one extends to the end. */
function withoutQuoted(text: string): string {
  let code = "";
  for (let at = 0; at < text.length;) {
    const two = text.slice(at, at + 2);
    const end =
      two === "--"
        ? endOfLine(text, at)
        : two === "/*"
          ? endOfComment(text, at)
          : endOfQuoted(text, at, { "'": "'", '"': '"', "[": "]" }[text.charAt(at)]);
    code += end === at ? text.charAt(at) : " ";
    at = end === at ? at + 1 : end;
  }
  return code;
}

/** Any line end counts. To see a comment as too short only refuses more. */
function endOfLine(text: string, at: number): number {
  const found = text.slice(at).search(/[\n\r\u0085\u2028\u2029]/u);
  return found < 0 ? text.length : at + found;
}

/** Comments nest. */
function endOfComment(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const two = text.slice(at, at + 2);
    if (two === "/*") depth += 1;
    if (two === "*/") depth -= 1;
    if (two === "/*" || two === "*/") at += 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** A doubled closing character means a single one. */
function endOfQuoted(text: string, start: number, close: string | undefined): number {
  if (close === undefined) return start;
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== close) continue;
    if (text[at + 1] !== close) return at + 1;
    at += 1;
  }
  return text.length;
}
