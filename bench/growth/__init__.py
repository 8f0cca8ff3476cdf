"""What becomes slower as batches, the queue and the database grow: `make bench-growth`."""
