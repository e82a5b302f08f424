"""Would the check of benchmarks/faults notice? A history in which all is well, then one thing wrong at a time."""

import inspect
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from benchmarks.faults import check
from benchmarks.faults.callers import Acknowledged
from benchmarks.faults.check import faults
from benchmarks.faults.history import History, Move, StoredEvent, StoredTransaction
from benchmarks.faults.receiver import Processed

WAY = ("CREATED", "IN_PROGRESS", "PROCESSING", "APPROVED")
STORED = StoredTransaction("t", "c", "APPROVED", 3, "APPROVED", has_receipt=True)
MOVES = [Move("t", before, after) for before, after in pairwise(WAY)]
EVENTS = [StoredEvent(f"e{n}", "t", n, f"transaction.{WAY[n].lower()}", "DELIVERED") for n in (1, 2, 3)]
TOLD = [Processed(f"e{n}", "t", n, WAY[n], WAY[n - 1], "2026-01-01T00:00:00Z") for n in (3, 1, 2, 2)]
SAID = Acknowledged("t", "c", "APPROVED", "APPROVED", "APPROVED")
WELL = History(
    acknowledged=[SAID],
    unexpected=[],
    ended=[],
    transactions=[STORED],
    events=EVENTS,
    moves=MOVES,
    told=TOLD,
    attempts={"DELIVERED": 4},
    stuck_jobs=[],
    pictures={"one"},
    objects={"one"},
    unopened=[],
    audit_breaks=[],
)
REJECTED = replace(STORED, status="REJECTED", outcome="REJECTED")
WRONG: dict[str, dict[str, Any]] = {
    "an acknowledged transaction is lost": {"transactions": [], "events": [], "moves": [], "told": []},
    "a transaction is another customer's": {"transactions": [replace(STORED, customer_id="d")]},
    "an acknowledged status is lost": {"transactions": [replace(STORED, status="IN_PROGRESS", outcome=None)]},
    "a decision was changed": {"transactions": [REJECTED]},
    "decided otherwise than was shown": {"acknowledged": [replace(SAID, shown="REJECTED")]},
    "a transaction that nobody was told of": {"transactions": [STORED, replace(STORED, transaction_id="u")]},
    "an innocent transaction FAILED": {"transactions": [replace(STORED, status="FAILED")]},
    "decided twice": {"moves": [*MOVES, Move("t", "APPROVED", "REJECTED")]},
    "conflicting decisions": {"transactions": [REJECTED]},
    "receipt and decision do not go together": {"transactions": [replace(STORED, has_receipt=False)]},
    "never decided": {"transactions": [replace(STORED, status="PROCESSING")]},
    "ended as nobody asked for": {"transactions": [replace(STORED, status="EXPIRED", outcome=None)]},
    "no way leads there": {"moves": [MOVES[0], MOVES[2]]},
    "the last move is missing": {"moves": MOVES[:2]},
    "events are missing or doubled": {"events": [*EVENTS, EVENTS[0]]},
    "events and audit log differ": {"moves": MOVES[:2]},
    "never told": {"told": TOLD[:1]},
    "still PENDING": {"events": [*EVENTS[:2], replace(EVENTS[2], state="PENDING")]},
    "told of a change that never was": {"told": [*TOLD, replace(TOLD[0], sequence=4)]},
    "one change told under two ids": {"told": [*TOLD, replace(TOLD[0], event_id="another")]},
    "told otherwise than it was": {"told": [*TOLD, replace(TOLD[0], status="REJECTED")]},
    "a job is stuck": {"stuck_jobs": ["analysis.analyse doing in analysis"]},
    "a picture is missing": {"objects": set()},
    "an object is orphaned": {"pictures": set()},
    "orphans although nothing was killed": {"swept": 1},
    "a picture cannot be opened": {"unopened": ["one"]},
    "the audit chain is broken": {"audit_breaks": ["line 3: its hash is another"]},
    "an answer that no kill excuses": {"unexpected": ["POST transaction: 500 internal"]},
    "a process ended by itself": {"ended": ["worker-1 with status 70"]},
}


def test_nothing_is_said_of_a_history_in_which_all_is_well():
    assert faults(WELL) == []
    assert faults(replace(WELL, swept=1, kills=1)) == [], "its process may have died between picture and row"


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said(kind):
    found = {one.partition(":")[0] for one in faults(replace(WELL, **WRONG[kind]))}
    assert kind in found


def test_every_sentence_of_the_check_is_tried_here():
    said = set(re.findall(r'f"((?:[a-z][^:{]*|still \{event\.state\})): \{', inspect.getsource(check), re.IGNORECASE))
    assert {one.replace("{event.state}", "PENDING") for one in said} == set(WRONG)
