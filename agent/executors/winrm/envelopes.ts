import { escapeXml } from "./xml.ts";

/** Requests to the host: SOAP envelopes of WS-Management (DSP0226) and of its remote shell (MS-WSMV 3.1.4). */
export const SHELL_URI = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd";
const SHELL_NAMESPACE = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell";
const TRANSFER = "http://schemas.xmlsoap.org/ws/2004/09/transfer";
const ANONYMOUS = "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous";
const NAMESPACES = [
  'xmlns:s="http://www.w3.org/2003/05/soap-envelope"',
  'xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"',
  'xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd"',
  'xmlns:p="http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd"',
  `xmlns:rsp="${SHELL_NAMESPACE}"`,
].join(" ");

/** The limit of the oldest hosts, 150 KiB; newer ones allow 500. It is requested for answers, too. */
export const ENVELOPE_MAX_BYTES = 153_600;

export interface Operation {
  action: string;
  /** The id of the shell; null only for Create. */
  shellId: string | null;
  options: Readonly<Record<string, string>>;
  body: string;
  /** How long the host may wait for a result before it answers without one. */
  timeoutSeconds: number;
}

export function envelope(operation: Operation, to: string, messageId: string): string {
  const options = Object.entries(operation.options).map(
    ([name, value]) => `<w:Option Name="${name}">${escapeXml(value)}</w:Option>`,
  );
  const header = [
    `<a:To>${escapeXml(to)}</a:To>`,
    `<a:ReplyTo><a:Address s:mustUnderstand="true">${ANONYMOUS}</a:Address></a:ReplyTo>`,
    `<a:Action s:mustUnderstand="true">${operation.action}</a:Action>`,
    `<a:MessageID>uuid:${messageId}</a:MessageID>`,
    `<w:ResourceURI s:mustUnderstand="true">${SHELL_URI}</w:ResourceURI>`,
    `<w:MaxEnvelopeSize s:mustUnderstand="true">${ENVELOPE_MAX_BYTES}</w:MaxEnvelopeSize>`,
    `<w:OperationTimeout>PT${operation.timeoutSeconds}S</w:OperationTimeout>`,
    '<w:Locale s:mustUnderstand="false" xml:lang="en-US"/><p:DataLocale s:mustUnderstand="false" xml:lang="en-US"/>',
    operation.shellId === null
      ? ""
      : `<w:SelectorSet><w:Selector Name="ShellId">${escapeXml(operation.shellId)}</w:Selector></w:SelectorSet>`,
    options.length === 0 ? "" : `<w:OptionSet>${options.join("")}</w:OptionSet>`,
  ].join("");
  return `<?xml version="1.0" encoding="UTF-8"?><s:Envelope ${NAMESPACES}><s:Header>${header}</s:Header><s:Body>${operation.body}</s:Body></s:Envelope>`;
}

/** Asks the host to identify itself (DSP0226, 11). */
export const IDENTIFY =
  '<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:i="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd"><s:Header/><s:Body><i:Identify/></s:Body></s:Envelope>';

const SHORT_SECONDS = 20;

export function createShell(environment: Readonly<Record<string, string>>, idleSeconds: number): Operation {
  const variables = Object.entries(environment).map(
    ([name, value]) => `<rsp:Variable Name="${escapeXml(name)}">${escapeXml(value)}</rsp:Variable>`,
  );
  const body = [
    "<rsp:Shell>",
    variables.length === 0 ? "" : `<rsp:Environment>${variables.join("")}</rsp:Environment>`,
    `<rsp:IdleTimeOut>PT${idleSeconds}.000S</rsp:IdleTimeOut>`,
    "<rsp:InputStreams>stdin</rsp:InputStreams><rsp:OutputStreams>stdout stderr</rsp:OutputStreams></rsp:Shell>",
  ].join("");
  // 65001 is UTF-8. Otherwise programs write in the code page of the host's language.
  const options = { WINRS_NOPROFILE: "FALSE", WINRS_CODEPAGE: "65001" };
  return { action: `${TRANSFER}/Create`, shellId: null, options, body, timeoutSeconds: SHORT_SECONDS };
}

/** Standard input is a pipe, which the last input closes. A console would never end. */
export function runCommand(shellId: string, command: string): Operation {
  const body = `<rsp:CommandLine><rsp:Command>${escapeXml(command)}</rsp:Command></rsp:CommandLine>`;
  const options = { WINRS_CONSOLEMODE_STDIN: "FALSE", WINRS_SKIP_CMD_SHELL: "FALSE" };
  return { action: `${SHELL_NAMESPACE}/Command`, shellId, options, body, timeoutSeconds: SHORT_SECONDS };
}

export function sendInput(shellId: string, commandId: string, bytes: Buffer, last: boolean): Operation {
  const end = last ? ' End="true"' : "";
  const stream = `<rsp:Stream Name="stdin" CommandId="${escapeXml(commandId)}"${end}>${bytes.toString("base64")}</rsp:Stream>`;
  const body = `<rsp:Send>${stream}</rsp:Send>`;
  return { action: `${SHELL_NAMESPACE}/Send`, shellId, options: {}, body, timeoutSeconds: SHORT_SECONDS };
}

export function receiveOutput(shellId: string, commandId: string, timeoutSeconds: number): Operation {
  const wanted = `<rsp:DesiredStream CommandId="${escapeXml(commandId)}">stdout stderr</rsp:DesiredStream>`;
  const body = `<rsp:Receive>${wanted}</rsp:Receive>`;
  return { action: `${SHELL_NAMESPACE}/Receive`, shellId, options: {}, body, timeoutSeconds };
}

export function terminate(shellId: string, commandId: string): Operation {
  const code = `<rsp:Code>${SHELL_NAMESPACE}/signal/terminate</rsp:Code>`;
  const body = `<rsp:Signal CommandId="${escapeXml(commandId)}">${code}</rsp:Signal>`;
  return { action: `${SHELL_NAMESPACE}/Signal`, shellId, options: {}, body, timeoutSeconds: SHORT_SECONDS };
}

export function deleteShell(shellId: string): Operation {
  return { action: `${TRANSFER}/Delete`, shellId, options: {}, body: "", timeoutSeconds: SHORT_SECONDS };
}
