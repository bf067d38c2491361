#!/usr/bin/env python3
"""Are the documents true?  Run from anywhere; `make check-docs` builds what it needs first.

  paths      every path named in ARCHITECTURE.md, CONTRIBUTING.md and docs/*.md exists
  links      every relative link of every *.md resolves, also its #section
  generated  tools/update_readme.sh --check: README's program and report, option tables, completion
  commands   lines of blocks that begin with ```sh run are executed, in a folder that has links to
             the parts of the repository, with build/bin in PATH.  A line must succeed; one that
             says `# exit status N` must end with N.  Blocks that begin with ```c file NAME are
             files in that folder
  promises   what README says about its program: the fix it names makes the check clean
  hygiene    documents name no folder of one machine

Python's standard library only.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))
FOLDERS = ("src", "tests", "docs", "tools", "include", "models", "examples", "share", "bench")
PATH = re.compile(r"(?<![\w./-])((?:%s)/[\w./*+-]*)" % "|".join(FOLDERS))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^```sh run\n(.*?)^```", re.S | re.M)
FILE = re.compile(r"^```c file (\S+)\n(.*?)^```", re.S | re.M)
CODE = re.compile(r"^```.*?^```", re.S | re.M)
STATUS = re.compile(r"#.*exit status (\d+)")
PATHS_IN = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md", "README.md")
TIMEOUT_SECONDS = 20

passed, failures = 0, []


def verify(ok, what):
    global passed
    if ok:
        passed += 1
    else:
        failures.append(what)


def documents(patterns):
    return sorted(p for pattern in patterns for p in glob.glob(pattern))


def all_documents():
    found = []
    for folder, folders, names in os.walk("."):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "build"]
        found += [os.path.relpath(os.path.join(folder, n)) for n in names if n.endswith(".md")]
    return sorted(found)


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def place(text, path, offset):
    return "%s:%d" % (path, text.count("\n", 0, offset) + 1)


def check_paths():
    for document in documents(PATHS_IN):
        text = read(document)
        for match in PATH.finditer(text):
            path = match.group(1).rstrip(".")
            if os.path.exists(path) or glob.glob(path):
                verify(True, "")
            else:
                verify(False, "%s: there is no %s" % (place(text, document, match.start()), path))


def anchors(document):
    """The sections of a document as links name them."""
    titles = re.findall(r"^#+ (.*)$", CODE.sub("", read(document)), re.M)
    return {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles}


def check_links():
    for document in all_documents():
        text = read(document)
        for match in LINK.finditer(CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)):
            target = match.group(1)
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, section = target.partition("#")
            path = os.path.join(os.path.dirname(document), path) if path else document
            ok = os.path.exists(path) and (not section or section in anchors(path))
            verify(ok, "%s: dead link %s" % (place(text, document, match.start()), target))


def check_generated():
    done = run(["tools/update_readme.sh", "--check"], ROOT)
    verify(done.returncode == 0, done.stdout)


def run(command, folder):
    environment = dict(os.environ, PATH=os.path.join(BUILD, "bin") + ":" + os.environ["PATH"])
    environment.pop("TIDEMARK_OPTIONS", None)
    try:
        return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "no end after %d s" % TIMEOUT_SECONDS)


def check_commands():
    for document in all_documents():
        text = read(document)
        blocks = list(BLOCK.finditer(text))
        if not blocks:
            continue
        with tempfile.TemporaryDirectory() as work:
            for folder in FOLDERS:
                os.symlink(os.path.join(ROOT, folder), os.path.join(work, folder))
            for file in FILE.finditer(text):
                with open(os.path.join(work, file.group(1)), "w", encoding="utf-8") as out:
                    out.write(file.group(2))
            for block in blocks:
                run_block(work, document, text, block)


def run_block(work, document, text, block):
    for line in block.group(1).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        status = STATUS.search(line)
        expected = int(status.group(1)) if status else 0
        done = run(["bash", "-c", line], work)
        at = place(text, document, block.start())
        verify(done.returncode == expected, "%s: `%s` ended with %d, not %d\n%s" %
               (at, line, done.returncode, expected, done.stdout))


def check_promises():
    """README: adding `persist(n);` before `l->head = n;` makes the check clean."""
    text = read("README.md")
    match = re.search(r"Adding `(.*?)` before `(.*?)`", text)
    source = read("examples/demo/list.c")
    verify(match and source.count("  %s" % match.group(2)) == 1, "README.md: the fix does not fit the program")
    if not match:
        return
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "list.c"), "w", encoding="utf-8") as out:
            out.write(source.replace(match.group(2), "%s %s" % match.groups()))
        built = run(["tidemark-cc", "-o", "list", "list.c"], work)
        checked = run(["tidemark", "check", "./list"], work)
        verify(built.returncode == 0 and checked.returncode == 0 and
               "no findings; the search is complete" in checked.stdout,
               "README.md: the fixed program does not check clean\n" + built.stdout + checked.stdout)


def check_hygiene():
    for document in all_documents():
        text = read(document)
        match = re.search(r"/(?:home|root|work)/\w+", text)
        verify(not match, "%s names a folder of one machine" % document)


def main():
    os.chdir(ROOT)
    for check in (check_paths, check_links, check_generated, check_commands, check_promises, check_hygiene):
        check()
    for failure in failures:
        print("FAILED " + failure.rstrip())
    print("%d passed, %d failed" % (passed, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
