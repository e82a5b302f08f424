"""Can whoever runs the installation keep its blocklists from the command line, and make a database ready for search?"""

import json

import psycopg
import pytest
import skimage.data
from typer.testing import CliRunner

from truename.cli import app
from truename.vision.configuration import configuration, configured
from truename.vision.images import encode_jpeg


@pytest.fixture
def truename(settings, monkeypatch):
    """Runs a command on the tests' own database; vision is left as it was."""
    monkeypatch.setenv("TRUENAME_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("TRUENAME_DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("TRUENAME_MASTER_KEY", settings.master_key.get_secret_value())

    def call(*words):
        with configured(configuration()):
            return CliRunner().invoke(app, list(words))

    return call


@pytest.mark.slow
def test_a_face_is_put_on_the_installations_list_shown_and_taken_off(truename, tmp_path):
    picture = tmp_path / "face.jpg"
    picture.write_bytes(encode_jpeg(skimage.data.astronaut()))
    added = truename(
        "blocklist", "add", str(picture), "--reason", "Court order 12/26", "--until", "2099-01-31", "--json"
    )
    assert added.exit_code == 0, added.output
    entry = json.loads(added.stdout)
    assert (entry["reason"], entry["expires_at"]) == ("Court order 12/26", "2099-02-01T00:00:00.000000Z")
    listed = json.loads(truename("blocklist", "list", "--json").stdout)
    assert entry in listed
    assert truename("blocklist", "remove", entry["entry_id"]).exit_code == 0
    again = truename("blocklist", "remove", entry["entry_id"])
    assert again.exit_code == 2
    assert entry not in json.loads(truename("blocklist", "list", "--json").stdout)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--reason", "x", "--until", "soon"], "--until soon: give a day"),
        (["--reason", " "], "--reason: write 1 to 500"),
        (["--reason", "x", "--account", "nobody"], "no account 'nobody'"),
        (["--reason", "x"], "shows no face"),
    ],
)
def test_what_cannot_be_listed_is_one_sentence(truename, tmp_path, words, says):
    picture = tmp_path / "coffee.jpg"
    picture.write_bytes(encode_jpeg(skimage.data.coffee()))
    refused = truename("blocklist", "add", str(picture), *words)
    assert (refused.exit_code, says in refused.stderr) == (2, True), refused.output


def test_a_database_is_made_ready_once_pgvector_is_there(truename, settings, new_database, monkeypatch):
    ready = truename("database", "face-search", "--json")
    assert (ready.exit_code, ready.stdout.strip()) == (0, '{"ready": true}')
    bare = new_database()
    with psycopg.connect(bare, autocommit=True) as connection:
        connection.execute("DROP EXTENSION vector CASCADE; DROP TABLE face_vectors")
        connection.execute("CREATE SCHEMA elsewhere; CREATE EXTENSION vector SCHEMA elsewhere")
        monkeypatch.setenv("TRUENAME_DATABASE_URL", bare)
        refused = truename("database", "face-search")
        assert (refused.exit_code, "CREATE EXTENSION vector SCHEMA public" in refused.stderr) == (3, True)
        connection.execute("DROP EXTENSION vector")
        assert truename("database", "face-search").exit_code == 0
        assert connection.execute("SELECT count(*) FROM face_vectors").fetchone() == (0,)
