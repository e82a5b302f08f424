"""How alembic runs our steps: on the connection that `migrate` hands it."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    transaction_per_migration=True,
    version_table_schema="public",  # a step may leave the path of its transaction at what the login has
)
with context.begin_transaction():
    context.run_migrations()
