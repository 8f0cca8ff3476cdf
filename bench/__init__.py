"""Measurements anyone can rerun: `make bench` runs them all and writes bench/README.md anew."""
