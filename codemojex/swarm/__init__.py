"""Simulated players at a set rate: how much the whole system bears, and whether every guess gets its answer.

They see what a player sees: the buttons of a game tell them its symbols, and a guess is answered when the bot
shows it in their chat. What the system has to say (admitted, scored, told, the audit) is asked of its database.
"""
