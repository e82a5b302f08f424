"""Read a history and say in sentences what is wrong with it; an empty list is the only good answer."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from benchmarks.faults.history import History, StoredEvent, StoredTransaction
from truename.transactions.lifecycle import FINAL, MOVES, Status

ONWARD = {Status.CREATED: 0, Status.IN_PROGRESS: 1, Status.PROCESSING: 2, Status.IN_REVIEW: 3}
"""How far a transaction has come; a final status is the farthest."""
DECIDED = (Status.APPROVED, Status.REJECTED)


def faults(history: History) -> list[str]:
    """Everything that must not be."""
    return [
        *(f"an answer that no kill excuses: {one}" for one in history.unexpected),
        *(f"a process ended by itself: {one}" for one in history.ended),
        *_lost(history),
        *_decisions(history),
        *_sequences(history),
        *_deliveries(history),
        *(f"a job is stuck: {one}" for one in history.stuck_jobs),
        *(f"a picture is missing: {key}" for key in sorted(history.pictures - history.objects)),
        *(f"an object is orphaned: {key}" for key in sorted(history.objects - history.pictures)),
        *([f"orphans although nothing was killed: {history.swept}"] if history.swept and not history.kills else []),
        *(f"a picture cannot be opened: {key}" for key in history.unopened),
        *(f"the audit chain is broken: {one}" for one in history.audit_breaks),
    ]


def _far(status: str) -> int:
    return ONWARD.get(Status(status), 9)


def _lost(history: History) -> Iterator[str]:
    """What was acknowledged is there, once, and has not gone back behind what was said of it."""
    stored = {one.transaction_id: one for one in history.transactions}
    for said in history.acknowledged:
        found = stored.get(said.transaction_id)
        if found is None:
            yield f"an acknowledged transaction is lost: {said.transaction_id}"
        elif found.customer_id != said.customer_id:
            yield f"a transaction is another customer's: {said.transaction_id}"
        elif _far(found.status) < _far(said.status):
            yield f"an acknowledged status is lost: {said.transaction_id} was {said.status}, is {found.status}"
        elif said.outcome is not None and (found.status, found.outcome) != (said.status, said.outcome):
            yield f"a decision was changed: {said.transaction_id} was {said.outcome}, is {found.outcome}"
        elif Status(found.status) in DECIDED and found.status != said.shown:
            yield f"decided otherwise than was shown: {said.transaction_id} is {found.status}, not {said.shown}"
    # Callers ask until they are answered, so a row of which none of them knows was made by a repetition.
    told_of = {said.transaction_id for said in history.acknowledged}
    yield from (f"a transaction that nobody was told of: {one}" for one in stored if one not in told_of)


def _decisions(history: History) -> Iterator[str]:
    """One decision each, the same to every witness, and none FAILED: nothing was wrong with any of them."""
    final = defaultdict(list)
    for move in history.moves:
        if Status(move.after) in FINAL:
            final[move.transaction_id].append(move.after)
    for one in history.transactions:
        ended = final[one.transaction_id]
        if one.status == Status.FAILED:
            yield f"an innocent transaction FAILED: {one.transaction_id}"
        if len(ended) > 1:
            yield f"decided twice: {one.transaction_id} {ended}"
        if ended and ended[0] != one.status:
            yield f"conflicting decisions: {one.transaction_id} is {one.status}, the audit log says {ended[0]}"
        if one.has_receipt != (one.outcome is not None):
            yield f"receipt and decision do not go together: {one.transaction_id}"
        if one.status == Status.PROCESSING:
            yield f"never decided: {one.transaction_id}"
        if one.status in (Status.EXPIRED, Status.CANCELLED, Status.IN_REVIEW):
            yield f"ended as nobody asked for: {one.transaction_id} is {one.status}"


def _sequences(history: History) -> Iterator[str]:
    """The audit log's moves are a way through the states; each has its event, numbered without a gap."""
    moves, events = defaultdict(list), defaultdict(list)
    for move in history.moves:
        moves[move.transaction_id].append(move)
    for event in history.events:
        events[event.transaction_id].append(event)
    for one in history.transactions:
        yield from _way(one, [(move.before, move.after) for move in moves[one.transaction_id]])
        own = sorted(events[one.transaction_id], key=lambda event: event.sequence)
        if [event.sequence for event in own] != list(range(1, one.sequence + 1)):
            yield f"events are missing or doubled: {one.transaction_id} {[event.sequence for event in own]}"
        said = [event.type.removeprefix("transaction.").upper() for event in own]
        if said != [move.after for move in moves[one.transaction_id]]:
            yield f"events and audit log differ: {one.transaction_id} {said}"


def _way(one: StoredTransaction, moves: list[tuple[str, str]]) -> Iterator[str]:
    at = str(Status.CREATED)
    for before, after in moves:
        if before != at or Status(after) not in MOVES[Status(before)]:
            yield f"no way leads there: {one.transaction_id} from {before} to {after}"
        at = after
    if at != one.status:
        yield f"the last move is missing: {one.transaction_id} is {one.status}, its moves end at {at}"


def _deliveries(history: History) -> Iterator[str]:
    """Every change was told, under one id; nothing was told that is not so."""
    known: dict[tuple[str, int], StoredEvent] = {(one.transaction_id, one.sequence): one for one in history.events}
    told = Counter((one.transaction_id, one.sequence) for one in history.told)
    for place, event in known.items():
        if not told[place]:
            yield f"never told: {event.transaction_id} {event.sequence} {event.type}"
        if event.state != "DELIVERED":
            yield f"still {event.state}: {event.transaction_id} {event.sequence}"
    for one in history.told:
        stored = known.get((one.transaction_id, one.sequence))
        if stored is None:
            yield f"told of a change that never was: {one.transaction_id} {one.sequence} {one.status}"
        elif stored.event_id != one.event_id:
            yield f"one change told under two ids: {one.transaction_id} {one.sequence}"
        elif stored.type != f"transaction.{one.status.lower()}":
            yield f"told otherwise than it was: {one.transaction_id} {one.sequence} {one.status}"
