"""Does what is sealed stay sealed, and in its place?"""

import base64
import stat
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truename.plumbing.crypto import seals
from truename.plumbing.crypto.master_key import GivenKeys, MasterKeyError, _created, master_keys
from truename.plumbing.crypto.seals import Seal
from truename.plumbing.crypto.vault import CannotOpen, Vault
from truename.plumbing.database.ids import id_text, new_id
from truename.plumbing.settings import load_settings

VAULT = Vault(GivenKeys((bytes(range(32)),)))
ACCOUNT, CUSTOMER = new_id(), new_id()
RECORD = Seal("r")


@given(st.binary(max_size=2000), st.text(min_size=1, max_size=40).map(Seal))
def test_what_is_sealed_opens_again_and_never_looks_the_same_twice(plaintext, record):
    key = VAULT.customer_key(VAULT.new_customer_key(ACCOUNT, CUSTOMER), ACCOUNT, CUSTOMER)
    sealed = key.seal(plaintext, record)
    assert key.open(sealed, record) == plaintext
    assert sealed != key.seal(plaintext, record)
    assert len(plaintext) < 8 or plaintext not in sealed


@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_one_altered_byte_is_noticed(position, change):
    sealed = bytearray(VAULT.seal_system(RECORD, b"secret"))
    sealed[position % len(sealed)] ^= change
    with pytest.raises(CannotOpen):
        VAULT.open_system(RECORD, bytes(sealed))


def test_a_value_moved_to_another_place_does_not_open():
    wrapped = VAULT.new_customer_key(ACCOUNT, CUSTOMER)
    key = VAULT.customer_key(wrapped, ACCOUNT, CUSTOMER)
    sealed = key.seal(b"x", Seal("media:1"))
    with pytest.raises(CannotOpen):
        key.open(sealed, Seal("media:2"))
    with pytest.raises(CannotOpen):
        VAULT.customer_key(wrapped, ACCOUNT, new_id())
    with pytest.raises(CannotOpen):
        VAULT.customer_key(wrapped, new_id(), CUSTOMER)
    with pytest.raises(CannotOpen):
        VAULT.open_for_account(new_id(), RECORD, VAULT.seal_for_account(ACCOUNT, RECORD, b"x"))
    with pytest.raises(CannotOpen):
        VAULT.open_system(RECORD, VAULT.seal_for_account(ACCOUNT, RECORD, b"x"))


def test_another_master_key_opens_nothing():
    with pytest.raises(CannotOpen, match="master key is another one"):
        Vault(GivenKeys((b"\x01" * 32,))).open_system(RECORD, VAULT.seal_system(RECORD, b"secret"))


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x01" * 28, b"\x02" + b"\x00" * 40])
def test_what_was_never_sealed_does_not_open(sealed):
    with pytest.raises(CannotOpen):
        VAULT.open_system(RECORD, sealed)


def test_keyed_hashes_are_stable_and_differ_by_purpose_and_key():
    assert VAULT.keyed_hash("e-mail", "a@b.de") == VAULT.keyed_hash("e-mail", b"a@b.de")
    assert VAULT.keyed_hash("e-mail", "a@b.de") != VAULT.keyed_hash("phone", "a@b.de")
    assert VAULT.keyed_hash("e-mail", "a@b.de") != Vault(GivenKeys((b"\x01" * 32,))).keyed_hash("e-mail", "a@b.de")


def test_the_master_key_is_made_once_and_only_we_may_read_it(tmp_path):
    settings = load_settings(data_dir=tmp_path / "data")
    (key,) = master_keys(settings, may_create=True).read_keys()
    assert len(key) == 32
    assert stat.S_IMODE(settings.key_file.stat().st_mode) == 0o600
    assert (
        master_keys(settings, may_create=True).read_keys()
        == (key,)
        == master_keys(settings, may_create=False).read_keys()
    )
    assert [path.name for path in settings.data_dir.iterdir()] == ["master.key"]


def test_of_two_processes_that_make_the_master_key_at_once_one_wins(tmp_path):
    """Both have seen that there is none."""
    first, second = (_created(tmp_path / "master.key") for _ in range(2))
    assert first == second == (tmp_path / "master.key").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["master.key"]


def test_a_lost_master_key_is_never_silently_replaced(tmp_path):
    with pytest.raises(MasterKeyError, match="restore the file from your backup"):
        master_keys(load_settings(data_dir=tmp_path), may_create=False).read_keys()


def test_a_master_key_that_is_lost_after_the_first_start_is_not_made_anew(tmp_path):
    """The source that made the key is asked again by the same process, after somebody took the file away."""
    source = master_keys(load_settings(data_dir=tmp_path), may_create=True)
    source.read_keys()
    (tmp_path / "master.key").unlink()
    with pytest.raises(MasterKeyError, match="restore the file from your backup"):
        source.read_keys()
    assert not (tmp_path / "master.key").exists()


def test_a_master_key_that_cannot_be_read_is_refused_in_words(tmp_path):
    (tmp_path / "master.key").mkdir()
    with pytest.raises(MasterKeyError, match="cannot be read: Is a directory"):
        master_keys(load_settings(data_dir=tmp_path), may_create=True).read_keys()


def test_a_master_key_has_changed_only_where_another_is_there(tmp_path):
    """Asked at every look: whoever says yes each time has the file read and every key derived again."""
    (tmp_path / "master.key").write_text("B" * 43 + "=")
    source = master_keys(load_settings(data_dir=tmp_path), may_create=False)
    source.read_keys()
    assert not source.changed()
    (tmp_path / "master.key").write_text("A" * 43 + "=\n")
    assert source.changed()
    source.read_keys()
    assert not source.changed()
    (tmp_path / "master.key").unlink()
    assert not source.changed(), "one that is away is no other one"


def test_what_was_sealed_with_a_key_that_we_have_not_heard_of_yet_opens_at_the_first_try(tmp_path):
    """Another process has taken the new key up already, and it is not yet time for us to look."""
    old, new = (base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2))
    (tmp_path / "master.key").write_text(old)
    settings = load_settings(data_dir=tmp_path)
    ours = Vault(master_keys(settings, may_create=False))
    kept = ours.seal_system(RECORD, b"before")
    (tmp_path / "master.key").write_text(f"{new}\n{old}")
    sealed = Vault(master_keys(settings, may_create=False)).seal_system(RECORD, b"after")
    assert ours.open_system(RECORD, sealed) == b"after"
    assert ours.open_system(RECORD, kept) == b"before"
    with pytest.raises(CannotOpen):
        ours.open_system(RECORD, Vault(GivenKeys((bytes(32),))).seal_system(RECORD, b"by a stranger"))


@pytest.mark.parametrize("text", ["", "short", "ä" * 44, "A" * 43 + "?"])
def test_a_damaged_master_key_is_refused_in_words(tmp_path, text):
    (tmp_path / "master.key").write_text(text)
    with pytest.raises(MasterKeyError, match="does not hold a master key"):
        master_keys(load_settings(data_dir=tmp_path), may_create=True).read_keys()


def test_a_key_of_a_customer_opens_what_an_earlier_version_sealed_with_it():
    account_id, customer_id = UUID("a0000000-0000-0000-0000-000000000005"), UUID("01980000-0000-7000-8000-00000000000f")
    wrapped = bytes.fromhex(
        "02943bbdeefc79e9711bcaed6614e71ba672338f7d05f067848d86752703ed9c6de88fdd12169801ae91035e5fbda7aa"
        "8ccf0f108f98c3c931445b830b11059729"
    )
    sealed = bytes.fromhex("017fdc8dbd39954cd9a8fd50058552a9bbc506df771fed2beadb7c43c4d7ec72756f")
    assert VAULT.customer_key(wrapped, account_id, customer_id).open(sealed, seals.PROFILE) == b"hello"


def test_a_new_key_is_the_one_that_its_wrapped_form_opens_to_and_no_two_are_alike():
    made = [VAULT.make_customer_key(ACCOUNT, CUSTOMER) for _ in range(200)]
    for wrapped, key in made:
        opened = VAULT.customer_key(wrapped, ACCOUNT, CUSTOMER)
        assert opened.open(key.seal(b"x", RECORD), RECORD) == b"x"
    nonces = {wrapped[5:17] for wrapped, _ in made}
    assert len(nonces) == 200
    assert len({key.derived(RECORD) for _, key in made}) == 200
    assert not any(wrapped[17:].startswith(nonce) for wrapped, _ in made for nonce in nonces)


@given(st.uuids())
def test_an_identifier_is_written_as_ever(identifier):
    assert id_text(identifier) == str(identifier)


def test_new_ids_are_version_7_and_grow():
    ids = [new_id() for _ in range(1000)]
    assert all(one.version == 7 and one.variant == UUID(int=0x8000 << 48).variant for one in ids)
    assert len(set(ids)) == 1000
    assert [one.int >> 80 for one in ids] == sorted(one.int >> 80 for one in ids)
