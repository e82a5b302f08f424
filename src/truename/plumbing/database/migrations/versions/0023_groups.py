"""What a keyed hash was made of, so that groups can be counted and people linked; what went to a person, by time."""

from pathlib import Path

from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    # As text, straight to the driver: SQL may hold colons and per cent signs.
    op.get_bind().connection.driver_connection.execute(Path(__file__).with_suffix(".sql").read_text("utf-8"))  # type: ignore[union-attr]


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
