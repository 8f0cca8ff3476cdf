"""What can go wrong with a database, each with a sentence that names the cure and never a password."""

from __future__ import annotations


class StoreError(Exception):
    """Something about the database that a person has to know."""


class MalformedDatabaseUrl(StoreError):
    """DATABASE_URL cannot work as it is written."""


class StoreDown(StoreError):
    """The database does not answer, or stopped answering; nothing is known to be wrong with the statements.

    A transaction that ended so was not committed, or its commit's answer was lost: do the same again, every
    use case here can be done twice.
    """


class TryAgain(Exception):
    """The transaction met another one; `Store.transact` starts it over."""


class SchemaError(StoreError):
    """The tables are not what this version of the program works on."""


class SchemaMissing(SchemaError):
    """The database has no tables yet."""


class SchemaBehind(SchemaError):
    """The database waits for a migration."""


class SchemaAhead(SchemaError):
    """A newer version of the program has migrated the database."""
