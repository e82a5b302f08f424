"""Blocklists of faces, and the vectors in which a live face is searched for."""

from pathlib import Path

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    # As text, straight to the driver: SQL may hold colons and per cent signs.
    op.get_bind().connection.driver_connection.execute(Path(__file__).with_suffix(".sql").read_text("utf-8"))  # type: ignore[union-attr]


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
