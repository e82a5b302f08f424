"""How long does a judgement take? `python benchmarks/rules.py [--json]`

Prints microseconds per `evaluate(dossier)` and per validation of a config, beside three things measured in the same run
on the same machine: the target, the JSON work that any such request has to do anyway, and one name comparison. Times
are CPU time of this process, the best of many rounds, so that a busy machine disturbs them little.
"""

import json
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.dossiers import a_device, a_document, a_dossier

from truename.rules.config import Config
from truename.rules.dossier import CustomerStatus, EarlierRecord, FaceSearch
from truename.rules.text import name_similarity
from truename.rules.verdict import evaluate

TODAY = date(2026, 3, 14)
TARGET_EVALUATE, TARGET_CONFIG = 100.0, 40.0

FULL_CONFIG: dict[str, Any] = {
    "transaction_ttl_minutes": 60,
    "webhook": {"url": "https://hooks.example.com/truename"},
    "device_policy": {"on_emulator": "WARN", "on_vpn_or_proxy": "IGNORE"},
    "document_policy": {
        "document_eligibility": {
            "filter_mode": "ALLOW",
            "target_documents": [
                {"country": country, "type": kind, "allow_expired": False}
                for country in ("AR", "CL", "UY")
                for kind in ("PASSPORT", "NATIONAL_ID")
            ],
        },
        "data_matching": {
            "given_names": {"value": "Ana María", "similarity_min_score": 0.9},
            "surnames": {"value": "Pérez O'Neill", "similarity_min_score": 1.0},
            "gender": "F",
            "document_type": "PASSPORT",
            "document_issuing_country": "AR",
            "document_number": "AB123456",
            "date_of_birth": "1990-04-23",
        },
    },
    "biometric_policy": {"liveness_min_score": 0.9, "expected_gender": "FEMALE", "expected_min_age": 18},
}
RECORD = EarlierRecord(given_names="Ana María", surnames="Pérez O'Neill", gender="F", date_of_birth=date(1990, 4, 23))


def microseconds(work: Callable[[], object], rounds: int = 60, each: int = 200) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(each):
            work()
        best = min(best, (time.process_time() - start) / each)
    return best * 1e6


def validated(config: dict[str, Any]) -> Config:
    return Config.model_validate(config, context={"today": TODAY})


def main() -> int:
    text = json.dumps(FULL_CONFIG)
    default = a_dossier()
    everything = a_dossier(
        config=FULL_CONFIG, earlier_record=RECORD, face_search=FaceSearch.ENFORCE, has_reference_face=True
    )
    rejected = everything.model_copy(
        update={
            "customer_status": CustomerStatus.BLOCKED,
            "evidence": a_dossier(
                document=a_document(given_names="EVA", surnames="RUIZ", date_of_expiry="2020-01-01"),
                device=a_device(emulator=True, compromised=True, gps_country="CL"),
                liveness=0.2,
                face_similarity={},
                selfie=None,
            ).evidence,
        }
    )
    rows = [
        ("evaluate, default config, approved", microseconds(lambda: evaluate(default)), TARGET_EVALUATE),
        ("evaluate, every rule set, approved", microseconds(lambda: evaluate(everything)), TARGET_EVALUATE),
        (
            f"evaluate, every rule set, {len(evaluate(rejected).issues)} issues",
            microseconds(lambda: evaluate(rejected)),
            TARGET_EVALUATE,
        ),
        ("validate an empty config", microseconds(lambda: validated({})), TARGET_CONFIG),
        ("validate a full config", microseconds(lambda: validated(FULL_CONFIG)), TARGET_CONFIG),
        ("compare: json.loads of that config", microseconds(lambda: json.loads(text)), None),
        (
            "compare: effective config to JSON types",
            microseconds(lambda: everything.config.model_dump(mode="json")),
            None,
        ),
        ("compare: one name similarity", microseconds(lambda: name_similarity("Ana María", "ANA MARIA")), None),
    ]
    if "--json" in sys.argv:
        print(json.dumps([{"what": what, "microseconds": cost, "target": target} for what, cost, target in rows]))
    else:
        for what, cost, target in rows:
            verdict = "" if target is None else f"  target {target:g}: {'met' if cost <= target else 'MISSED'}"
            print(f"{what:<44}{cost:9.1f} µs{verdict}")
    return int(any(target is not None and cost > target for _, cost, target in rows))


if __name__ == "__main__":
    sys.exit(main())
