"""Play the game in a test: the real bot, worker, queue and database against a Telegram of the test's own.

The plugin gives a test the fixture ``game``; what it is made of is in ``codemojex.testing.game``, ``chats`` and
``seats``. ``docs/testing.md`` shows a flow and lists the words. This module imports nothing, so that a pytest
run without flows loads neither the bot nor a driver.
"""
