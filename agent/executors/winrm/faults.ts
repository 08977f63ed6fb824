import { ExecutorFailure } from "../shared/failures.ts";
import { elementOf, textOf, type XmlElement } from "./xml.ts";

const QUOTE_MAX_CHARS = 500;
/** ERROR_WSMAN_OPERATION_TIMEDOUT: no output while the host waited; ask again. */
const TIMED_OUT = "2150858793";
/** ERROR_WSMAN_INVALID_SELECTORS: this account has no shell with that id on the host. */
const INVALID_SELECTORS = "2150858843";
const ERROR_ACCESS_DENIED = "5";

/** A refusal of the host as a WS-Management fault (MS-WSMV 2.2.4.43). */
export class WsmanFault extends ExecutorFailure {
  constructor(
    code: string,
    message: string,
    readonly faultCode: string,
    readonly subcode: string,
  ) {
    super(code, message);
  }

  get timedOut(): boolean {
    return this.faultCode === TIMED_OUT || this.subcode === "TimedOut";
  }

  /** Whether a shell that this account made is gone. */
  get shellGone(): boolean {
    return this.faultCode === INVALID_SELECTORS || this.subcode === "InvalidSelectors";
  }
}

/** The failure for a fault, with a remedy; null when the answer is no fault. */
export function faultIn(answer: XmlElement, where: string): WsmanFault | null {
  const fault = elementOf(answer, "Fault");
  if (fault === null) return null;
  const detail = elementOf(fault, "WSManFault");
  const reason = elementOf(fault, "Reason");
  const message = detail === null ? null : elementOf(detail, "Message");
  const said = [message, reason]
    .map((element) => (element === null ? "" : textOf(element)))
    .find((text) => text !== "");
  const subcodes = elementOf(fault, "Subcode");
  const subcode = (subcodes === null ? "" : textOf(subcodes)).split(":").at(-1) ?? "";
  const faultCode = detail?.attributes["Code"] ?? "";
  const [code, remedy] = meaning(faultCode, subcode);
  const numbers = [faultCode === "" ? "" : `WSManFault ${faultCode}`, subcode].filter((part) => part !== "").join(", ");
  const quoted = (said ?? "it gave no reason").slice(0, QUOTE_MAX_CHARS);
  return new WsmanFault(code, `${where} refused: ${quoted} (${numbers}).${remedy}`, faultCode, subcode);
}

export const RIGHTS_HINT =
  "Running commands requires an administrator of that machine, or a member of its Remote Management Users who may also use the shell " +
  "(winrm configSDDL default). A local administrator other than the built-in one is refused until LocalAccountTokenFilterPolicy is 1 there.";

function meaning(faultCode: string, subcode: string): [code: string, remedy: string] {
  if (faultCode === ERROR_ACCESS_DENIED || subcode === "AccessDenied") return ["permission_denied", ` ${RIGHTS_HINT}`];
  if (subcode === "QuotaLimit") {
    return [
      "quota_exceeded",
      " The host has reached its limit: wait until other jobs end, or raise MaxShellsPerUser, MaxConcurrentUsers or MaxProcessesPerShell in winrm/config/winrs there.",
    ];
  }
  if (subcode === "EncodingLimit") {
    return [
      "winrm_fault",
      " The request or the answer is larger than the host allows: raise MaxEnvelopeSizekb in winrm/config there.",
    ];
  }
  return ["winrm_fault", ""];
}
