"""A small reader of C++ for tidy.py: text without comments and strings, and the functions with their bodies.

It knows no more C++ than the style of this project needs: it looks at braces and at what stands before them.
"""
import dataclasses
import re

COMMENT_OR_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\\n])*\""
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)
AFTER_PARAMETERS = re.compile(
    r"(?:\s|const\b|noexcept\b(?:\s*\([^()]*\))?|override\b|final\b|mutable\b|constexpr\b|&&|&|"
    r"->\s*[\w:<>,\s&*\[\]]+?(?=\s*$))*$")
INITIALIZER_LIST = re.compile(r"\)\s*(?:noexcept\b(?:\s*\([^()]*\))?)?\s*:(?!:)")
NO_HEAD = re.compile(r"\btemplate\s*<[^{}]*?>\s*(?=\b(?:class|struct|union)\b)|\balignas\s*\([^()]*\)|\[\[[^\]]*\]\]")
LAMBDA = re.compile(r"\]\s*(?:<[^<>]*>\s*)?(?:\((?:[^()]|\([^()]*\))*\))?\s*(?:mutable\b|noexcept\b|constexpr\b|\s)*"
                    r"(?:->\s*[\w:<>,\s&*]+?)?\s*\{")
BRANCH = re.compile(r"\b(?:if|for|while|case|catch)\b| && | \|\| | \? ")
TABLE_ROW = re.compile(r"\bcase [^;{}\n]*?:\s*(?:case [^;{}\n]*?:\s*)*(?:return [^;\n]*;|[^;{}\n]*;?\s*break;)")
PASS_ON = re.compile(r"\bif \(![\w.*>-]+\) return (?:tl::unexpected|fail)\(std::move\([\w.>()-]+\)\);")


@dataclasses.dataclass
class Function:
    name: str
    line: int         # of its first line, from 1
    lines: int        # first to last, both included
    parameters: int
    complexity: int   # 1 + branches; lambdas inside count for themselves


def blank(text):
    """Spaces for everything but line ends, so that places stay what they were."""
    return re.sub(r"[^\n]", " ", text)


def strip(text):
    """The text without comments, strings, characters and preprocessor lines; same length, same lines."""
    def replace(found):
        piece = found[0]
        return blank(piece) if piece.startswith("/") else '"' + blank(piece[1:-1]) + '"'
    bare = COMMENT_OR_STRING.sub(replace, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: blank(m[0]), bare, flags=re.MULTILINE)


def matching(text, at, opening="{", closing="}"):
    """The place of the bracket that closes the one at `at`; the end of the text if there is none."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] == opening:
            depth += 1
        elif text[place] == closing:
            depth -= 1
            if depth == 0:
                return place
    return len(text) - 1


def functions(text):
    """Every function with a body, and every lambda in them, in order."""
    bare = strip(text)
    found, place, start = [], 0, 0
    while place < len(bare):
        char = bare[place]
        if char in ";}":
            start = place + 1
        elif char == "(":
            place = matching(bare, place, "(", ")")
        elif char == "{":
            head = bare[start:place]
            kind = classify(head)
            if kind == "scope":
                start = place + 1
            else:
                end = matching(bare, place)
                if kind == "function":
                    found += measure(bare, start, place, end)
                    start = end + 1
                place = end
        place += 1
    return found


def classify(head):
    """What the brace after `head` opens: a scope to look into, a function, or an initialiser."""
    plain = NO_HEAD.sub(" ", head)
    if re.search(r"\bnamespace\b", plain) or re.search(r'\bextern\s*"', plain):
        return "scope"
    if re.search(r"\b(?:class|struct|union|enum)\b", plain) and "(" not in plain:
        return "scope"
    listed = INITIALIZER_LIST.search(plain)
    if listed:
        return "initialiser" if re.search(r"[\w>]\s*$", plain) else "function"
    if "(" not in plain or re.search(r"=\s*$", plain):
        return "initialiser"
    before = AFTER_PARAMETERS.sub("", plain).rstrip()
    return "function" if before.endswith(")") else "initialiser"


def measure(bare, start, opening, end):
    """The function whose head begins at `start` and whose body is between the two braces, and its lambdas."""
    head = bare[start:opening]
    listed = INITIALIZER_LIST.search(head)
    signature = head[:listed.start() + 1] if listed else AFTER_PARAMETERS.sub("", head)
    closing = signature.rfind(")")
    depth, parameters = 0, closing
    while parameters >= 0:
        depth += {")": 1, "(": -1}.get(signature[parameters], 0)
        if depth == 0:
            break
        parameters -= 1
    names = re.findall(r"[\w:~]+|operator\s*\S+", signature[:parameters])
    begin = start + len(head) - len(head.lstrip())
    first = bare.count("\n", 0, begin) + 1
    body, inner = without_lambdas(bare, opening, end)
    whole = Function(names[-1] if names else "?", first, bare.count("\n", begin, end) + 1,
                     count_parameters(signature[parameters + 1:closing]), complexity(body))
    return [whole, *inner]


def without_lambdas(bare, opening, end):
    """(the body with its lambdas blanked out, the lambdas as functions)."""
    body, inner, place = bare[opening:end + 1], [], 0
    while True:
        found = LAMBDA.search(body, place)
        if not found:
            return body, inner
        brace = found.end() - 1
        close = matching(body, brace)
        text, deeper = without_lambdas(body, brace, close)
        head = body[found.start():brace]
        parameters = re.search(r"\((.*)\)", head, re.DOTALL)
        line = bare.count("\n", 0, opening + brace) + 1
        inner += [Function("lambda", line, body.count("\n", brace, close) + 1,
                           count_parameters(parameters[1]) if parameters else 0, complexity(text)), *deeper]
        body = body[:brace] + blank(body[brace:close + 1]) + body[close + 1:]
        place = found.start() + 1


def count_parameters(text):
    if not text.strip() or text.strip() == "void":
        return 0
    depth, count = 0, 1
    for char in text:
        depth += {"(": 1, "<": 1, "{": 1, "[": 1, ")": -1, ">": -1, "}": -1, "]": -1}.get(char, 0)
        count += char == "," and depth == 0
    return count


def complexity(body):
    """1 and one more for each branch. A case of one statement is a row of a table, and passing an error on is no
    decision: neither counts."""
    return 1 + len(BRANCH.findall(PASS_ON.sub(" ", TABLE_ROW.sub(" ", body))))
