"""Other job queues, measured beside emq on one server in one run: `make bench-peers`."""
