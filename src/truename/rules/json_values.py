"""What can be written as JSON: for values that go straight into a body, a column or a file, and are looked at no more.

Whatever the code does look at has a type of its own: a dataclass or a model.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = str | int | float | bool | Sequence["Json"] | Mapping[str, "Json"] | None
JsonObject: TypeAlias = Mapping[str, "Json"]
