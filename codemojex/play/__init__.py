"""What can be done, one use case a file. Functions take an open transaction, the time and, if need be, dice.

Nothing here opens or ends a transaction. A function that raises a refusal has written what belongs to the
refusal (the pace of a flood), so the caller answers it inside the same transaction.
"""
