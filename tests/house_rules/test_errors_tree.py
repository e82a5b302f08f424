"""Is the tree that errors.py draws of its refusals the tree of its classes?"""

from truename.plumbing import errors
from truename.plumbing.errors import Refusal


def children(kind: type[Refusal]) -> list[type[Refusal]]:
    """The refusals right below one, in the order in which the page defines them."""
    own = [one for one in kind.__subclasses__() if one.__module__ == errors.__name__]
    return sorted(own, key=lambda one: list(vars(errors)).index(one.__name__))


def drawn(kind: type[Refusal], indent: str = "") -> list[str]:
    lines = []
    below = children(kind)
    for one in below:
        last = one is below[-1]
        lines.append(f"{indent}{'└──' if last else '├──'} {one.__name__} {one.status}")
        lines += drawn(one, indent + ("    " if last else "│   "))
    return lines


def test_the_tree_is_that_of_the_classes():
    tree = "\n".join(["Refusal", *drawn(Refusal)])
    assert tree in (errors.__doc__ or ""), f"The docstring of errors.py should draw:\n{tree}"


def test_every_refusal_of_the_house_stands_on_the_page():
    elsewhere = [one for one in Refusal.__subclasses__() if one.__module__ != errors.__name__]
    assert elsewhere == []
