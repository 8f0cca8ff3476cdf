"""The outbound path: what players are told leaves the database through Telegram's budgets, in order, once."""
