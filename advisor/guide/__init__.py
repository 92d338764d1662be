"""The guide: what a newcomer should know before renting, every figure worked out from the data the advisor itself uses."""
