"""The database: tables, connections, transactions, revisions. SQLite and PostgreSQL."""
