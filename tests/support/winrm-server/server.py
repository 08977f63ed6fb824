"""A strict WinRM host for tests: HTTP, logins and message encryption. Started by winrm-server.ts with a JSON configuration.

It refuses what Windows refuses: unknown paths and methods, wrong content types, plain messages where encrypted ones are
demanded, requests on a connection that is not logged in, logins carried over to another connection.
"""
import base64
import hashlib
import itertools
import json
import os
import re
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONFIG = json.load(open(sys.argv[1], encoding="utf-8"))
os.environ["NTLM_USER_FILE"] = CONFIG["userFile"]
os.environ["NETBIOS_COMPUTER_NAME"] = "HOST7"
os.environ["NETBIOS_DOMAIN_NAME"] = "CORP"

import gssapi  # noqa: E402  reads the environment above
import wsman  # noqa: E402

NTLM = gssapi.OID.from_int_seq("1.3.6.1.4.1.311.2.2.10")
SOAP_TYPE = "application/soap+xml;charset=utf-8"
PROTOCOL = "application/http-spnego-session-encrypted"
BODY_MAX_BYTES = 1_000_000
LOG_LOCK = threading.Lock()
CONNECTION_IDS = itertools.count(1)
SERVICE = wsman.Service(CONFIG)
TLS_HASH = None


def record(entry):
    with LOG_LOCK, open(CONFIG["log"], "a", encoding="utf-8") as log:
        log.write(json.dumps(entry) + "\n")


class Refused(Exception):
    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


class Connection(BaseHTTPRequestHandler):
    """One TCP connection, with a separate login."""

    protocol_version = "HTTP/1.1"
    server_version = "Microsoft-HTTPAPI/2.0"
    sys_version = ""
    # Answers are written in two parts, and must not wait for each other.
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.number = next(CONNECTION_IDS)
        self.context = None
        self.user = None

    def log_message(self, *_):
        pass

    def do_POST(self):
        try:
            body = self.read_body()
            if self.path == "/wsman-anon/identify":
                self.identify_anonymously(body)
            elif self.path == "/wsman":
                self.wsman(body)
            else:
                raise Refused(404, "no such path")
        except Refused as refused:
            record({"connection": self.number, "refused": str(refused), "status": refused.status})
            # The unread rest of the body would be parsed as the next request.
            self.close_connection = True
            self.answer(refused.status, b"")

    def do_GET(self):
        record({"connection": self.number, "refused": "GET", "status": 405})
        self.answer(405, b"")

    def read_body(self):
        length = self.headers.get("Content-Length")
        if length is None or not re.fullmatch(r"\d+", length) or "Transfer-Encoding" in self.headers:
            raise Refused(411, "a length is needed")
        if int(length) > BODY_MAX_BYTES:
            raise Refused(413, "the body is too large")
        if not self.headers.get("Host"):
            raise Refused(400, "no Host")
        return self.rfile.read(int(length))

    def identify_anonymously(self, body):
        if self.headers.get("WSMANIDENTIFY", "").lower() != "unauthenticated" or CONFIG["anonymousIdentify"] is False:
            return self.challenge()
        self.soap_type()
        status, answer = SERVICE.identify(body, None)
        self.answer(status, answer, "application/soap+xml;charset=UTF-8")

    def soap_type(self):
        if self.headers.get("Content-Type", "").lower().replace(" ", "") != SOAP_TYPE:
            raise Refused(415, "not application/soap+xml")

    def wsman(self, body):
        if not self.logged_in(body):
            return
        if body == b"":
            return self.answer(200, b"")
        encrypted = self.headers.get("Content-Type", "").startswith("multipart/encrypted")
        if encrypted:
            message = self.decrypt(body)
        else:
            if not CONFIG["tls"] and not CONFIG["allowUnencrypted"]:
                raise Refused(500, "unencrypted messages are not allowed over HTTP")
            self.soap_type()
            message = body
        entry = {
            "connection": self.number,
            "user": self.user,
            "encrypted": encrypted,
            "headers": sorted(name.lower() for name in self.headers.keys()),
            "message": message.decode("utf-8", "replace"),
        }
        record(entry)
        status, answer = SERVICE.handle(message, self.user)
        record({"connection": self.number, "status": status, "answer": answer.decode("utf-8")[:2000]})
        if encrypted:
            tampered = CONFIG["tamper"]
            self.answer(status, self.encrypt(answer, tampered), wsman.ENCRYPTED_TYPE)
        else:
            self.answer(status, answer, "application/soap+xml;charset=UTF-8")

    # Logins

    def logged_in(self, body):
        scheme, _, rest = self.headers.get("Authorization", "").partition(" ")
        if scheme == "":
            if self.user is not None and self.context is not None:
                return True
        elif scheme == "Basic" and "Basic" in self.offers():
            user, _, password = base64.b64decode(rest).decode("utf-8").partition(":")
            known = [account for account in CONFIG["accounts"] if account["domain"] == "HOST7"]
            if any(a["user"].lower() == user.lower() and a["password"] == password for a in known):
                # Basic authenticates every request; the connection itself stays anonymous.
                self.user = user.lower()
                return True
        elif scheme == "Negotiate" and "Negotiate" in self.offers():
            return self.negotiate(base64.b64decode(rest), body)
        self.challenge()
        return False

    def negotiate(self, token, body):
        if not token.startswith(b"NTLMSSP\0"):
            self.challenge()
            return False
        if token[8] == 1 or self.context is None:
            self.user = None
            bindings = None if TLS_HASH is None else gssapi.raw.ChannelBindings(application_data=TLS_HASH)
            credentials = gssapi.Credentials(usage="accept", mechs=[NTLM])
            self.context = gssapi.SecurityContext(creds=credentials, usage="accept", channel_bindings=bindings)
        if token[8] == 3 and CONFIG["requireChannelBinding"] and not has_binding(token):
            record({"connection": self.number, "refused": "no channel binding", "status": 401})
            self.context = None
            self.challenge()
            return False
        try:
            reply = self.context.step(token)
        except gssapi.exceptions.GSSError as error:
            record({"connection": self.number, "refused": f"login: {error}", "status": 401})
            self.context = None
            self.challenge()
            return False
        if not self.context.complete:
            self.challenge(b"Negotiate " + base64.b64encode(reply))
            return False
        # gss-ntlmssp's names end in a NUL.
        self.user = str(self.context.initiator_name).rstrip("\0").lower()
        record({"connection": self.number, "login": self.user})
        return True

    def offers(self):
        if CONFIG["tls"] or CONFIG["allowUnencrypted"]:
            return [scheme for scheme in ("Negotiate", "Basic") if CONFIG["auth"].get(scheme, True)]
        return [scheme for scheme in ("Negotiate",) if CONFIG["auth"].get(scheme, True)]

    def challenge(self, token=None):
        self.send_response(401)
        if token is not None:
            self.send_header("WWW-Authenticate", token.decode())
        else:
            for scheme in self.offers():
                self.send_header("WWW-Authenticate", 'Basic realm="WSMAN"' if scheme == "Basic" else scheme)
        self.send_header("Content-Length", "0")
        self.end_headers()

    # Encryption (MS-WSMV 2.2.9.1)

    def decrypt(self, body):
        if self.context is None or not self.context.complete:
            raise Refused(400, "an encrypted message without a login that has a key")
        declared = self.headers["Content-Type"].lower()
        if f'protocol="{PROTOCOL}"' not in declared or 'boundary="encrypted boundary"' not in declared:
            raise Refused(415, "not the protocol or the boundary of WinRM")
        parts = body.split(b"--Encrypted Boundary")
        if len(parts) != 4 or parts[0] != b"" or parts[3] not in (b"--\r\n", b"--"):
            raise Refused(400, "not two parts and an end")
        head = re.fullmatch(
            rb"\r\n\s*Content-Type: " + PROTOCOL.encode() + rb"\r\n\s*OriginalContent: type=application/soap\+xml;charset=UTF-8;Length=(\d+)\r\n",
            parts[1],
            re.IGNORECASE,
        )
        data = re.match(rb"\r\n\s*Content-Type: application/octet-stream\r\n", parts[2])
        if head is None or data is None:
            raise Refused(400, "the heads of the parts are wrong")
        sealed = parts[2][data.end() :]
        if sealed[:4] != b"\x10\0\0\0":
            raise Refused(400, "no signature of 16 bytes")
        try:
            message, was_sealed, _ = self.context.unwrap(sealed[4:])
        except gssapi.exceptions.GSSError as error:
            raise Refused(400, f"cannot be decrypted: {error}") from error
        if not was_sealed or len(message) != int(head[1]):
            raise Refused(400, "not sealed, or of another length")
        return message

    def encrypt(self, message, tampered):
        token = bytearray(self.context.wrap(message, True).message)
        if tampered:
            token[-1] ^= 1
        return wsman.ENCRYPTED_HEAD % len(message) + b"\x10\0\0\0" + bytes(token) + b"--Encrypted Boundary--\r\n"

    def answer(self, status, body, content_type=None):
        self.send_response(status)
        if content_type is not None:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def has_binding(authenticate):
    """Whether the AV pair MsvAvChannelBindings (10) in the NTLMv2 response is set."""
    length, offset = int.from_bytes(authenticate[20:22], "little"), int.from_bytes(authenticate[24:28], "little")
    pairs = authenticate[offset : offset + length][44:]
    while len(pairs) >= 4:
        kind, size = int.from_bytes(pairs[:2], "little"), int.from_bytes(pairs[2:4], "little")
        if kind == 10:
            return pairs[4 : 4 + size] != bytes(16)
        pairs = pairs[4 + size :]
    return False


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)


def stop_with_parent():
    """Ends this host with its test run: standard input closes then."""
    sys.stdin.read()
    SERVICE.stop()
    os._exit(0)


def main():
    global TLS_HASH
    server = Server(("127.0.0.1", 0), Connection)
    if CONFIG["tls"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CONFIG["tls"]["cert"], CONFIG["tls"]["key"])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        der = ssl.PEM_cert_to_DER_cert(open(CONFIG["tls"]["cert"], encoding="ascii").read())
        TLS_HASH = b"tls-server-end-point:" + hashlib.new(CONFIG["tls"]["hash"], der).digest()
    threading.Thread(target=stop_with_parent, daemon=True).start()
    print(server.server_address[1], flush=True)
    try:
        server.serve_forever()
    finally:
        SERVICE.stop()


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    main()
