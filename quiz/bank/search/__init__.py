"""Searching the chapter, the bank and the glossary in both languages.

    words      text → the tokens that are compared: words of Latin letters, pairs of Chinese characters
    index      tokens → documents, ranked (BM25); near misses of Latin words
    gathering  the published rows and the glossary → documents, kept until the bank or the code changes
    excerpts   the passage of a document that says it, its hits marked

The index lies in each process's memory: the whole bank is a few hundred thousand characters. So SQLite and
PostgreSQL answer alike, and no request depends on a database's own idea of Chinese words.
"""
