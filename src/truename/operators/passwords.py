"""Passwords: long enough, not easily guessed, kept as argon2id hashes only.

Hashing takes a twentieth of a second and 46 MiB on purpose, so it is done beside the event loop, a few at a time.
"""

import asyncio
import secrets
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from zxcvbn import zxcvbn

SHORTEST: Final = 12
LONGEST: Final = 200
GUESSED_LOOK: Final = 48
"""How many characters the estimate of guesses looks at: its time grows with the square of the length."""
INSTEAD: Final = "0123456789@({[<!|+$%"
"""What the estimate also reads as letters, such as 4 and @ as A: in every combination of the readings of each."""
MOST_INSTEAD: Final = 8
"""So many different ones at most are read so: with all twenty there are five hundred combinations, which took eight
seconds of the event loop."""
_SIGNS: Final = str.maketrans({sign: chr(0xE000 + place) for place, sign in enumerate(INSTEAD) if not sign.isdigit()})
WEAKEST: Final = 3
"""Of 0 to 4: fewer than a hundred million guesses are refused."""
AT_ONCE: Final = 2

_hasher: Final = PasswordHasher(time_cost=1, memory_cost=46 * 1024, parallelism=1)  # argon2id, as OWASP advises
_room: Final = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="passwords")


class PasswordRefused(ValueError):
    """The password cannot be used; the words say why."""


def refuse_weak(password: str, known: Iterable[str] = ()) -> None:
    """Raise PasswordRefused for a password that is too short or easily guessed; `known` are words about its owner.

    There are no rules on kinds of characters: they make passwords worse. Spaces and any script are welcome.
    """
    if len(password) < SHORTEST:
        raise PasswordRefused(f"A password needs at least {SHORTEST} characters; a few random words do well.")
    if len(password) > LONGEST:
        raise PasswordRefused(f"A password may have at most {LONGEST} characters.")
    look = password[:GUESSED_LOOK]
    if len(set(look) & set(INSTEAD)) > MOST_INSTEAD:
        look = look.translate(_SIGNS)  # each sign as another that is read as no letter; digits stay, for dates and rows
    found = zxcvbn(look, user_inputs=["truename", "verification", *known])
    if found["score"] < WEAKEST:
        raise PasswordRefused("This password is among the first that are tried. Take a few random words instead.")


def new_password() -> str:
    """A random password of 148 bits, in groups that can be read aloud."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(6))


async def hash_password(password: str) -> str:
    """The argon2id hash that is stored."""
    return await asyncio.get_running_loop().run_in_executor(_room, _hasher.hash, password)


async def hash_new_password(password: str, known: Iterable[str]) -> str:
    """The same for one that somebody chose; raises PasswordRefused. To guess at it takes a tenth of a second, too."""
    await asyncio.get_running_loop().run_in_executor(_room, refuse_weak, password, known)
    return await hash_password(password)


async def is_password(stored: str | None, password: str) -> bool:
    """Is this the password of the stored hash? Takes as long when there is none, so that time tells nothing."""
    tried = password if len(password) <= LONGEST else ""  # longer ones are nobody's, and would be long to hash
    right = await asyncio.get_running_loop().run_in_executor(_room, _verify, stored, tried)
    return right and stored is not None


def _verify(stored: str | None, password: str) -> bool:
    try:
        return _hasher.verify(stored or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return _hasher.hash(secrets.token_urlsafe(32))
