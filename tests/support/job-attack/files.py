# Which of the machine's files can be read, listed and written.
import os, stat


def reach(path):
    found = []
    if os.path.isdir(path):
        if tried(lambda: os.listdir(path)):
            found.append("list")
        if tried(lambda: made_in(path)):
            found.append("make")
        return found
    if tried(lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))):
        found.append("read")
    # Opens without writing: the permission is enough.
    if tried(lambda: os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))):
        found.append("write")
    return found


def with_parents(path):
    while path != "/":
        yield path
        path = os.path.dirname(path)


def made_in(path):
    name = os.path.join(path, "made-by-a-job")
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    os.unlink(name)


def tried(what):
    try:
        what()
        return True
    except OSError:
        return False


# Files below `places` that hold a needle; unreadable files are skipped.
def searched(places, needles):
    own = os.getcwd()
    found = {}
    for place in places:
        for parent, folders, names in os.walk(place):
            folders[:] = [folder for folder in folders if os.path.join(parent, folder) != own]
            for name in names:
                path = os.path.join(parent, name)
                try:
                    if not stat.S_ISREG(os.lstat(path).st_mode):
                        continue
                    with open(path, "rb") as file:
                        text = file.read(1 << 20)
                except OSError:
                    continue
                for what, needle in needles.items():
                    if needle in text:
                        found[path] = what
    return found


# Links that a cleanup or a reader of this directory might follow.
def plant_links(targets):
    for index, target in enumerate(targets):
        tried(lambda: os.symlink(target, f"link-{index}"))
        tried(lambda: os.link(target, f"hard-link-{index}"))
    return sorted(name for name in os.listdir(".") if name.startswith("hard-link"))
