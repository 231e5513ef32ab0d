"""Model -> C++ of the test program: how each message's fields are called and when they exist."""


def files(groups):
    """{path: text}"""
    return {}
