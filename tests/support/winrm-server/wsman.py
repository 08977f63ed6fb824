"""WS-Management as far as the remote shell needs it (DSP0226, MS-WSMV): every message is checked before it does anything."""
import base64
import os
import re
import threading
import uuid
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

from shells import Shell

S = "{http://www.w3.org/2003/05/soap-envelope}"
A = "{http://schemas.xmlsoap.org/ws/2004/08/addressing}"
W = "{http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd}"
P = "{http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd}"
RSP = "{http://schemas.microsoft.com/wbem/wsman/1/windows/shell}"
ID = "{http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd}"
SHELL_URI = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd"
ANONYMOUS = "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous"
SHELL = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"
TRANSFER = "http://schemas.xmlsoap.org/ws/2004/09/transfer"
HEADERS = {A + "To", A + "ReplyTo", A + "Action", A + "MessageID", W + "ResourceURI", W + "MaxEnvelopeSize"}
HEADERS_MORE = {W + "OperationTimeout", W + "Locale", P + "DataLocale", W + "SelectorSet", W + "OptionSet"}
ENCRYPTED_TYPE = 'multipart/encrypted;protocol="application/HTTP-SPNEGO-session-encrypted";boundary="Encrypted Boundary"'
ENCRYPTED_HEAD = (
    b"--Encrypted Boundary\r\n\tContent-Type: application/HTTP-SPNEGO-session-encrypted\r\n"
    b"\tOriginalContent: type=application/soap+xml;charset=UTF-8;Length=%d\r\n"
    b"--Encrypted Boundary\r\n\tContent-Type: application/octet-stream\r\n"
)
OPTIONS = {
    "Create": {"WINRS_NOPROFILE": {"TRUE", "FALSE"}, "WINRS_CODEPAGE": {"65001", "437"}},
    "Command": {"WINRS_CONSOLEMODE_STDIN": {"TRUE", "FALSE"}, "WINRS_SKIP_CMD_SHELL": {"TRUE", "FALSE"}},
}


class Fault(Exception):
    def __init__(self, code, subcode, reason, side="Sender"):
        super().__init__(reason)
        self.code, self.subcode, self.side = code, subcode, side


def malformed(why):
    return Fault(2150858793 + 6, "SchemaValidationError", f"The message is not valid: {why}.")


class Service:
    def __init__(self, config):
        self.config = config
        self.shells = {}
        self.seen = set()
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        threading.Thread(target=self.remove_idle_shells, daemon=True).start()

    def stop(self):
        self.stopping.set()
        for shell in list(self.shells.values()):
            shell.end()

    def remove_idle_shells(self):
        while not self.stopping.wait(0.05):
            at_once = os.path.exists(self.config["removeIdleShells"])
            for key, shell in list(self.shells.items()):
                if shell.idle_seconds() > (0 if at_once else shell.idle_limit):
                    self.shells.pop(key, None)
                    shell.end()

    def identify(self, body, user):
        root = parse(body)
        if root.find(f"{S}Body/{ID}Identify") is None:
            raise malformed("not Identify")
        version = "OS: 0.0.0 SP: 0.0 Stack: 3.0" if user is None else "OS: 10.0.20348 SP: 0.0 Stack: 3.0"
        answer = (
            '<s:Envelope xml:lang="en-US" xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header/><s:Body>'
            '<wsmid:IdentifyResponse xmlns:wsmid="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd">'
            "<wsmid:ProtocolVersion>http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd</wsmid:ProtocolVersion>"
            f"<wsmid:ProductVendor>Microsoft Corporation</wsmid:ProductVendor><wsmid:ProductVersion>{version}</wsmid:ProductVersion>"
            "</wsmid:IdentifyResponse></s:Body></s:Envelope>"
        )
        return 200, answer.encode()

    def handle(self, message, user):
        """Returns the HTTP status and the answer's bytes."""
        relates = ""
        try:
            root = parse(message)
            if root.find(f"{S}Body/{ID}Identify") is not None:
                return self.identify(message, user)
            request = Request(root)
            relates = request.message_id
            with self.lock:
                if request.message_id in self.seen:
                    raise Fault(2150858800, "InvalidMessageInformationHeader", "The message id was used before.")
                self.seen.add(request.message_id)
            if len(message) > self.config["maxEnvelopeBytes"]:
                raise Fault(2150859195, "EncodingLimit", "The request is larger than MaxEnvelopeSize.")
            body = getattr(self, "do_" + request.name.lower())(request, user)
            if len(body) > request.max_envelope:
                raise Fault(2150858995, "EncodingLimit", "The answer is larger than MaxEnvelopeSize.")
            return 200, envelope(request.action + "Response", relates, body)
        except Fault as fault:
            return 500, fault_envelope(fault, relates)

    def do_create(self, request, user):
        if user in self.config["withoutRights"]:
            raise Fault(5, "AccessDenied", "Access is denied. ")
        spec = request.only_child(RSP + "Shell")
        known = {RSP + name for name in ("Environment", "IdleTimeOut", "InputStreams", "OutputStreams", "WorkingDirectory")}
        parts = {child.tag: child for child in spec}
        if not set(parts) <= known or len(parts) != len(spec):
            raise malformed("unknown or repeated parts of rsp:Shell")
        if parts[RSP + "InputStreams"].text != "stdin" or parts[RSP + "OutputStreams"].text != "stdout stderr":
            raise malformed("other streams")
        variables = {}
        for variable in parts.get(RSP + "Environment", []):
            if variable.tag != RSP + "Variable" or list(variable.attrib) != ["Name"] or not variable.text:
                raise malformed("rsp:Variable")
            variables[variable.attrib["Name"]] = variable.text
        idle = duration(parts[RSP + "IdleTimeOut"].text) if RSP + "IdleTimeOut" in parts else 7200
        with self.lock:
            if sum(shell.owner == user for shell in self.shells.values()) >= self.config["maxShells"]:
                raise Fault(2150859173, "QuotaLimit", "This user is allowed a maximum number of concurrent shells, which has been exceeded.")
            shell = Shell(user, variables, idle, self.config)
            self.shells[shell.id] = shell
        return (
            '<x:ResourceCreated xmlns:x="http://schemas.xmlsoap.org/ws/2004/09/transfer"><a:Address>http://host7:5985/wsman</a:Address>'
            f"<a:ReferenceParameters><w:ResourceURI>{SHELL_URI}</w:ResourceURI><w:SelectorSet>"
            f'<w:Selector Name="ShellId">{shell.id}</w:Selector></w:SelectorSet></a:ReferenceParameters></x:ResourceCreated>'
            f"<rsp:Shell><rsp:ShellId>{shell.id}</rsp:ShellId><rsp:Owner>{escape(user)}</rsp:Owner></rsp:Shell>"
        )

    def do_command(self, request, user):
        shell = self.shell_of(request, user)
        line = request.only_child(RSP + "CommandLine")
        if [child.tag for child in line] not in ([RSP + "Command"], [RSP + "Command", RSP + "Arguments"]):
            raise malformed("rsp:CommandLine")
        text = " ".join(child.text or "" for child in line)
        command = shell.start(text)
        return f"<rsp:CommandResponse><rsp:CommandId>{command.id}</rsp:CommandId></rsp:CommandResponse>"

    def do_send(self, request, user):
        stream = request.only_child(RSP + "Send").find(RSP + "Stream")
        if stream is None or stream.attrib["Name"] != "stdin" or not set(stream.attrib) <= {"Name", "CommandId", "End"}:
            raise malformed("rsp:Send")
        command = self.command_of(request, user, stream)
        data = base64.b64decode(stream.text or "", validate=True)
        if not command.write(data, stream.attrib.get("End", "false").lower() == "true"):
            raise Fault(2147942632, "InternalError", "The pipe is being closed. ", "Receiver")
        return "<rsp:SendResponse/>"

    def do_receive(self, request, user):
        wanted = request.only_child(RSP + "Receive").find(RSP + "DesiredStream")
        if wanted is None or wanted.text != "stdout stderr":
            raise malformed("rsp:DesiredStream")
        command = self.command_of(request, user, wanted)
        output = command.receive(min(request.timeout, self.config["receiveSecondsMax"]))
        if output == "terminated":
            raise Fault(2147943395, "InternalError", "The I/O operation has been aborted because of either a thread exit or an application request. ", "Receiver")
        if output is None:
            raise Fault(2150858793, "TimedOut", "The WS-Management service cannot complete the operation within the time specified in OperationTimeout.  ", "Receiver")
        chunks, exit_code = output
        parts = [
            f'<rsp:Stream Name="{name}" CommandId="{command.id}">{base64.b64encode(data).decode()}</rsp:Stream>' for name, data in chunks
        ]
        state = "Running" if exit_code is None else "Done"
        if exit_code is not None:
            parts += [f'<rsp:Stream Name="{name}" CommandId="{command.id}" End="true"/>' for name in ("stdout", "stderr")]
        code = "" if exit_code is None else f"<rsp:ExitCode>{exit_code}</rsp:ExitCode>"
        parts.append(f'<rsp:CommandState CommandId="{command.id}" State="{SHELL}/CommandState/{state}">{code}</rsp:CommandState>')
        return f"<rsp:ReceiveResponse>{''.join(parts)}</rsp:ReceiveResponse>"

    def do_signal(self, request, user):
        signal = request.only_child(RSP + "Signal")
        command = self.command_of(request, user, signal)
        code = signal.find(RSP + "Code")
        if code is None or code.text not in (f"{SHELL}/signal/terminate", f"{SHELL}/signal/ctrl_c"):
            raise malformed("rsp:Code")
        command.signal(code.text.rsplit("/", 1)[1])
        return "<rsp:SignalResponse/>"

    def do_delete(self, request, user):
        shell = self.shell_of(request, user)
        if len(request.body) > 0:
            raise malformed("Delete has no body")
        self.shells.pop(shell.id).end()
        return ""

    def shell_of(self, request, user):
        if request.name == self.config["removesShellBefore"] and request.shell_id in self.shells:
            self.shells.pop(request.shell_id).end()
        shell = self.shells.get(request.shell_id)
        if shell is None or shell.owner != user:
            raise Fault(2150858843, "InvalidSelectors", f"The shell was not found on the server: {request.shell_id}.")
        shell.touch()
        return shell

    def command_of(self, request, user, element):
        command = self.shell_of(request, user).commands.get(element.attrib.get("CommandId"))
        if command is None:
            raise Fault(2150858771, "InvalidParameter", "The command was not found in the shell.")
        return command


class Request:
    """The checked head of a message; each operation checks its own body."""

    def __init__(self, root):
        if root.tag != S + "Envelope" or [child.tag for child in root] != [S + "Header", S + "Body"]:
            raise malformed("not a SOAP 1.2 envelope of header and body")
        header, self.body = root
        parts = {child.tag: child for child in header}
        if len(parts) != len(header) or not HEADERS <= set(parts) or not set(parts) <= HEADERS | HEADERS_MORE:
            raise malformed(f"headers {sorted(set(parts) ^ HEADERS)}")
        self.action = parts[A + "Action"].text
        self.name = self.action.rsplit("/", 1)[1]
        base = TRANSFER if self.name in ("Create", "Delete") else SHELL
        names = ("Create", "Delete", "Command", "Send", "Receive", "Signal")
        if self.name not in names or self.action != f"{base}/{self.name}":
            raise Fault(2150858754, "ActionNotSupported", f"The action is not supported: {self.action}.")
        if parts[W + "ResourceURI"].text != SHELL_URI:
            raise Fault(2150858752, "DestinationUnreachable", "The resource URI is not known.")
        if not re.fullmatch(r"https?://[^/]+/wsman", parts[A + "To"].text or ""):
            raise malformed("To")
        if parts[A + "ReplyTo"].findtext(A + "Address") != ANONYMOUS:
            raise malformed("ReplyTo")
        self.message_id = parts[A + "MessageID"].text
        uuid.UUID(self.message_id.removeprefix("uuid:"))
        self.max_envelope = int(parts[W + "MaxEnvelopeSize"].text)
        self.timeout = duration(parts[W + "OperationTimeout"].text) if W + "OperationTimeout" in parts else 60
        self.options = {option.attrib["Name"]: option.text for option in parts.get(W + "OptionSet", [])}
        allowed = OPTIONS.get(self.name, {})
        if not all(value in allowed.get(name, ()) for name, value in self.options.items()):
            raise Fault(2150858833, "InvalidOptions", f"The options are not valid: {self.options}.")
        selectors = {selector.attrib["Name"]: selector.text for selector in parts.get(W + "SelectorSet", [])}
        if set(selectors) != (set() if self.name == "Create" else {"ShellId"}):
            raise Fault(2150858843, "InvalidSelectors", "The selectors are not those of a shell.")
        self.shell_id = selectors.get("ShellId")

    def only_child(self, tag):
        if [child.tag for child in self.body] != [tag]:
            raise malformed(f"the body is not {tag}")
        return self.body[0]


def parse(message):
    if b"<!DOCTYPE" in message or b"<!ENTITY" in message:
        raise malformed("document types are not taken")
    try:
        return ET.fromstring(message)
    except ET.ParseError as error:
        raise malformed(str(error)) from error


def duration(text):
    found = re.fullmatch(r"PT(\d+(?:\.\d+)?)S", text or "")
    if found is None:
        raise malformed("a duration")
    return float(found[1])


def envelope(action, relates, body):
    return (
        '<s:Envelope xml:lang="en-US" xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"'
        ' xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd" xmlns:rsp="http://schemas.microsoft.com/wbem/wsman/1/windows/shell"><s:Header>'
        f"<a:Action>{action}</a:Action><a:MessageID>uuid:{str(uuid.uuid4()).upper()}</a:MessageID><a:To>{ANONYMOUS}</a:To>"
        f"<a:RelatesTo>{escape(relates)}</a:RelatesTo></s:Header><s:Body>{body}</s:Body></s:Envelope>"
    ).encode()


def fault_envelope(fault, relates):
    body = (
        f"<s:Fault><s:Code><s:Value>s:{fault.side}</s:Value><s:Subcode><s:Value>w:{fault.subcode}</s:Value></s:Subcode></s:Code>"
        f'<s:Reason><s:Text xml:lang="en-US">{escape(str(fault))}</s:Text></s:Reason><s:Detail>'
        f'<f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="{fault.code}" Machine="host7"><f:Message>'
        f"{escape(str(fault))}</f:Message></f:WSManFault></s:Detail></s:Fault>"
    )
    return envelope("http://schemas.dmtf.org/wbem/wsman/1/wsman/fault", relates, body)
