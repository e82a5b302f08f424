"""Is a value that cannot be used refused at the start, by name and in a sentence, and is one that can be taken?"""

import re
from pathlib import Path

import pytest
import trustme

from truename.plumbing.crypto.master_key import MasterKeyError, master_keys
from truename.plumbing.private_files import FolderUnavailable
from truename.plumbing.settings import SettingsError, load_settings
from truename.plumbing.storage.objects import Objects


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("public_url", "verify.example.com", "must be an address such as"),
        ("public_url", "https://someone:secret@verify.example.com", "must be an address such as"),
        ("public_url", "https://verify.example.com:99999", "port out of range"),
        ("public_url", "https://verify example.com", "must be an address such as"),
        ("traces_endpoint", "collector:4318", "must be an address such as http://127.0.0.1:4318/v1/traces"),
        ("database_url", "postgresql://u:hush@127.0.0.1/x?nonsense=1", "is an option behind the [?] misspelt"),
        ("keys_database_url", "postgresql://u:hush@[::1/x", "[iI]nvalid IPv6 URL"),
        ("database_url", "postgresql://u:hu%sh@127.0.0.1/x", "not written as %XX"),
        ("webhook_allow", "http://hooks.corp/", "'http://hooks.corp/' is no host"),
        ("webhook_allow", "hooks.corp, 10.0.0.0/33", "'10.0.0.0/33' is no host"),
        ("webhook_allow", "hooks.corp:99999", "'hooks.corp:99999' is no host"),
        ("webhook_allow", "*", "'[*]' is no host"),
        ("webhook_ca_file", "/nowhere/ca.pem", "/nowhere/ca.pem cannot be read: No such file"),
        ("storage_url", "s3://bucket?ca_file=/nowhere/ca.pem", "/nowhere/ca.pem cannot be read: No such file"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(setting: str, value: str, words: str) -> None:
    with pytest.raises(SettingsError, match=f"TRUENAME_{setting.upper()}: .*{words}") as refused:
        load_settings(**{setting: value})
    assert "hush" not in str(refused.value)


def test_a_file_that_holds_no_certificate_is_no_authority(tmp_path: Path) -> None:
    empty = tmp_path / "ca.pem"
    empty.touch()
    for given in ({"webhook_ca_file": empty}, {"storage_url": f"s3://bucket?ca_file={empty}"}):
        with pytest.raises(SettingsError, match="holds no certificate of an authority"):
            load_settings(**given)


def test_what_can_be_used_is_taken_as_it_stands(tmp_path: Path) -> None:
    authority = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(authority)
    given = {
        "public_url": "https://verify.example.com:8443/kyc",
        "traces_endpoint": "http://collector:4318/v1/traces?tenant=kyc",
        "database_url": "postgresql://u:p%40s@db-1,db-2:5433/kyc?target_session_attrs=read-write&sslmode=verify-full",
        "storage_url": f"s3://bucket?ca_file={authority}",
        "webhook_ca_file": authority,
    }
    settings = load_settings(**given)
    assert settings.database_url is not None
    taken = {**settings.model_dump(include=set(given)), "database_url": settings.database_url.get_secret_value()}
    assert taken == given
    entries = ("hooks.corp", "hooks.corp:443", "10.0.0.0/8", "127.0.0.1:8443", "::1", "[::1]:8443", "münchen.example")
    assert load_settings(webhook_allow=",".join(entries)).webhook_allow == entries


def test_a_file_in_place_of_the_folder_of_pictures_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "pictures").touch()
    with pytest.raises(FolderUnavailable, match=r"folder of pictures .* cannot be made: File exists"):
        Objects(str(tmp_path / "pictures"))


def test_a_key_command_with_an_open_quotation_mark_is_said_in_words() -> None:
    settings = load_settings(master_key_command="vault kv get 'secret")
    with pytest.raises(MasterKeyError, match=re.escape("is a quotation mark left open?")):
        master_keys(settings, may_create=False).read_keys()
