import json, sys

report = json.load(open(sys.argv[1]))
outcomes = [o for text in report["outcomes"] for o in text.split("; ")]
assert outcomes and all(o == "x" * 10000 + "|" for o in outcomes), outcomes
messages = [f["message"] for f in report["findings"]]
assert len(messages) == 1 and len(messages[0]) == 511 and messages[0].endswith("a ..."), messages
