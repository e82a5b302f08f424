"""Tables that grow without end, in a part for each month."""

from pathlib import Path

from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    # As text, straight to the driver: SQL may hold colons and per cent signs.
    op.get_bind().connection.driver_connection.execute(Path(__file__).with_suffix(".sql").read_text("utf-8"))  # type: ignore[union-attr]


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
