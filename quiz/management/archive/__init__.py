"""Back-up and restore of all data, in one file that does not depend on the database's engine.

The file is a zip: `rows/<app>.<model>.jsonl`, one row a line (a list of the columns' values), and last
`manifest.json` with the version, the migrations, and each member's columns, count and SHA-256. It holds every
table of every app: accounts, sessions, permissions, the bank and its history, answers, jobs and the queue.
Left out are only the rows that say which workers are alive. There are password hashes in it: keep it safe.

The schema of the reading side must be that of the writing side (the same migrations), so rows go back as they
were, with their keys.
"""
