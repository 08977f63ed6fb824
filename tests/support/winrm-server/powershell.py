"""Replaces powershell.exe: takes the same arguments, finds the script as PowerShell would, and runs it with sh.

A script that is compiled and called succeeds unless it calls `exit` itself, even when its last command failed.

What the script writes to standard error comes as CLIXML, with progress before it, as from PowerShell without a console.
"""
import base64
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

TRAILER = '[ScriptBlock]::Create($bellhopText + "`n`nif (-not `$?) { exit 1 }")'
QUOTES = "'\u2018\u2019\u201a\u201b"


def main():
    arguments = [argument.lower() for argument in sys.argv[1:-1]]
    if arguments not in (
        ["-noprofile", "-noninteractive", "-executionpolicy", "bypass", "-encodedcommand"],
        ["-encodedcommand"],
    ):
        sys.exit(f"unknown arguments: {arguments}")
    text = base64.b64decode(sys.argv[-1], validate=True).decode("utf-16-le")
    script = script_in(text)
    if "[ScriptBlock]::Create(" in text:
        script += "\ntest $? -eq 0 || exit 1\n" if TRAILER in text else "\nexit 0\n"
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        end = subprocess.run(["sh", file.name], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if end.stderr:
        lines = end.stderr.decode("utf-8").splitlines(keepends=True)
        messages = "".join(f'<S S="Error">{escape(line).replace("_x", "_x005F_x").replace(chr(10), "_x000D__x000A_")}</S>' for line in lines)
        progress = '<Obj S="progress" RefId="0"><TN RefId="0"><T>System.Management.Automation.PSCustomObject</T></TN><MS><I64 N="SourceId">1</I64><PR N="Record"><AV>Preparing modules for first use.</AV><AI>0</AI></PR></MS></Obj>'
        head = '#< CLIXML\r\n<Objs Version="1.1.0.1" xmlns="http://schemas.microsoft.com/powershell/2004/04">'
        sys.stderr.write(head + progress + messages + "</Objs>")
    sys.exit(end.returncode)


def script_in(text):
    """The compiled part of the text, or all of it when a client sends a plain script."""
    if "[ScriptBlock]::Create(" not in text:
        return text
    for needed in ("$ProgressPreference = 'SilentlyContinue'", "& $bellhopScript", "exit 1"):
        if needed not in text:
            sys.exit(f"without {needed}")
    if "; $bellhopScript = [ScriptBlock]::Create($bellhopText) }" not in text:
        sys.exit("what is not compiled alone may be completed by what follows")
    start = text.index("$bellhopText = ") + len("$bellhopText = ")
    if text[start] == "'":
        return literal(text[start + 1 :])
    source = "[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String(($input | Out-String)))"
    if not text.startswith(source, start):
        sys.exit("another source than a literal or the input")
    return base64.b64decode(re.sub(rb"\s+", b"", sys.stdin.buffer.read()), validate=True).decode("utf-8")


def literal(text):
    """A string in single quotes as PowerShell reads it: any kind of quote ends it, two of them are one."""
    out, at = [], 0
    while True:
        if text[at] in QUOTES:
            if text[at + 1] not in QUOTES:
                return "".join(out)
            at += 1
        out.append(text[at])
        at += 1


main()
