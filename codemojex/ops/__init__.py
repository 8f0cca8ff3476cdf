"""What an operator is told of a running process: whether it lives, whether it is ready, and its figures."""
