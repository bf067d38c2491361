# lit configuration of the program tests: each file says in RUN lines how it is built and checked.
import os
import lit.formats

build = lit_config.params.get("build") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../../build"))
config.name = "tidemark"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".c", ".cc", ".test"]
config.excludes = ["Inputs", "analysis", "pm", "cxl", "concurrent", "examples"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(build, "tests", "programs")
config.environment["TIDEMARK_BUILD"] = build
config.substitutions += [
    ("%tidemark_cc", os.path.join(build, "bin/tidemark-cc")),
    ("%tidemark_cxx", os.path.join(build, "bin/tidemark-c++")),
    ("%tidemark", os.path.join(build, "bin/tidemark")),
    ("%clang", "clang-19"),
    ("%worker", os.path.join(build, "libexec/tidemark-worker")),
    ("%FileCheck", "/usr/lib/llvm-19/bin/FileCheck"),
]
