# Tries everything, and prints as JSON which attempts succeeded. No needle is ever printed.
import base64, json, os

asked = json.loads(os.environ["ATTACK"])
needles = {name: base64.b64decode(text)[::-1] for name, text in asked["needles"].items()}
about = status("self")
inherited = sorted(int(name) for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}"))
seen = others()
print(json.dumps({
    "uid": os.getuid(),
    "groups": os.getgroups(),
    "agents": {name: probe(pid, needles) for name, pid in asked["agents"].items()},
    "parent": probe(os.getppid(), needles),
    "others": {f"{name} {pid}": [method for method, outcome in probe(pid, needles).items() if outcome not in ("denied", "gone")]
               for pid, name in seen.items() if pid != os.getppid() and pid not in asked["agents"].values()},
    "control": control(b"control-" + os.urandom(8).hex().encode()),
    "commandLines": sorted(name for pid in seen for name, needle in needles.items() if needle in command_line(pid)),
    "environment": sorted(name for name in os.environ),
    "descriptors": inherited,
    "paths": {path: reached for path in asked["paths"] if (reached := reach(path))},
    "parents": sorted({parent for path in asked["paths"] for parent in with_parents(os.path.dirname(path)) if "make" in reach(parent)}),
    "searched": searched(asked["places"], needles),
    "hardLinks": plant_links(asked["paths"]),
    "capabilities": capabilities(about),
    "systemCalls": system_calls(libc),
    "setuid": by_setuid(asked["setuidPrograms"]),
    "commands": succeeded(asked["commands"]),
    "sockets": connected(asked["sockets"]),
}))
