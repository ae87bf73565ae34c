"""`manage.py serve`: the supervisor, the guardian of each child, the address, and the first lines printed."""
