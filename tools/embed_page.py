"""Writes the C++ source that carries the web page inside the binary.

    python3 tools/embed_page.py OUT FOLDER [DAGRE_FOLDER]

FOLDER is http/web, DAGRE_FOLDER the fetched package @dagrejs/dagre; without it the page says that it cannot draw.
"""
import hashlib
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
ABSENT = "// This Weir was built without the library that lays out graphs.\nexport const layout = null;\n"
HEAD = """// Written by the build from http/web.
#include "http/resources/page.hpp"

namespace weir::http {

std::span<const page_file> page_files() noexcept {
  static constexpr page_file files[] = {
"""
TAIL = """  };
  return files;
}

}  // namespace weir::http
"""


def drawing_library(folder):
    """The library as one module, with its licence in front."""
    if folder is None:
        return ABSENT
    code = (folder / "dist" / "dagre.esm.js").read_text()
    lines = [line for line in code.splitlines() if not line.startswith("//# sourceMappingURL=")]
    return (folder / "dist" / "dagre.esm.js.LEGAL.txt").read_text() + "\n".join(lines) + "\n"


def entry(name, text):
    """One file as an initialiser. The mark ends the literal, so it must not be in the text."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    mark = digest[:12]
    etag = f'W/\\"{digest[:24]}\\"'
    return f'    {{"{name}", "{TYPES[pathlib.Path(name).suffix]}", "{etag}",\n     R"{mark}({text}){mark}"}},\n'


def main():
    out, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    dagre = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    files = {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.suffix in TYPES}
    files["dagre.js"] = drawing_library(dagre)
    out.write_text(HEAD + "".join(entry(name, text) for name, text in files.items()) + TAIL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
