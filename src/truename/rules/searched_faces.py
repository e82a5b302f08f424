"""What a search for the live face found among many, and from which score on a face counts as found.

A comparison of one with one errs once in so many pairs of strangers; a search compares with everybody who is enrolled,
so that the same score would err as many times as often. The score that counts here is therefore never below
`LEAST_SCORE`, which one pair of strangers in a million reaches, and grows with the number of faces searched.
"""

from typing import Final

from truename.rules.facts import Fact

LEAST_SCORE: Final = 0.95
"""One pair of strangers in 1,000,000 scores as high; at 0.85, the interface's default for 1:1, one in 10,000."""
FALSE_HITS_PER_SEARCH: Final = 0.01
"""Of so many searches for a stranger, as a share, one finds somebody, however many are enrolled."""


class FaceHit(Fact):
    """A stored face that is among the most like the live one, whether or not it is like enough."""

    id: str
    """Of the customer, or of the entry of a blocklist."""
    score: float
    """Calibrated as that of a comparison of one with one."""


class SearchedList(Fact):
    """One list of faces, searched."""

    searched: int
    """How many faces it had; of customers as they were last counted."""
    chance_score: float
    """What the most alike of so many strangers scores in one search of a hundred; beyond one in 1,000,000 pairs by
    the tail of the calibration, which nobody has measured."""
    hits: tuple[FaceHit, ...] = ()
    """The most alike first."""

    @property
    def threshold(self) -> float:
        """The score from which on the most alike face counts as the same person."""
        return max(LEAST_SCORE, self.chance_score)

    @property
    def found(self) -> FaceHit | None:
        """The most alike face, when it is alike enough."""
        return self.hits[0] if self.hits and self.hits[0].score >= self.threshold else None


class SearchedFaces(Fact):
    """The lists in which the live face was looked for; None where one could not be searched."""

    customers: SearchedList | None = None
    """The reference faces of the account's other customers."""
    account_blocklist: SearchedList | None = None
    installation_blocklist: SearchedList | None = None
