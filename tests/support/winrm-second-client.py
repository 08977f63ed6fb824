"""Runs a command, a PowerShell script and a long output with pywinrm, and prints the results as JSON."""
import base64
import json
import sys
import warnings

warnings.simplefilter("ignore")
import winrm  # noqa: E402

url, transport, username, password = sys.argv[1:5]
trust = sys.argv[5] if len(sys.argv) > 5 else None
session = winrm.Session(url, auth=(username, password), transport=transport, ca_trust_path=trust)
script = base64.b64encode("echo it is $((6 * 7)); echo wrong >&2; exit 4".encode("utf-16-le")).decode()
commands = [
    "echo h\u00e9llo; echo bad >&2; exit 3",
    # pywinrm's run_ps fails on errors as bytes; this sends the same request.
    f"powershell -encodedcommand {script}",
    "head -c 300000 /dev/zero | tr '\\0' x",
]
results = []
for command in commands:
    answer = session.run_cmd(command)
    out, err = answer.std_out.decode(), session._clean_error_msg(answer.std_err.decode())
    results.append({"stdout": out if len(out) < 100 else len(out), "stderr": err, "exitCode": answer.status_code})
print(json.dumps(results))
