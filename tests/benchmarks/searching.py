"""How long a search of the whole bank takes: `python -m tests.benchmarks.searching`.

Milliseconds of the processor from the words to the ranked, marked results, in a process that has searched
before; and once, how long a process needs to lay out the index that is kept on disk.
"""

from __future__ import annotations

import os
import time
from statistics import median

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quiz.settings")
QUERIES = (
    "softmax", "自注意力机制", "为什么除以根号 dk", "sofmax", "Pre-LN", "padding mask", "KV Cache 显存",
    "残差 泄露", "位置编码", "why divide by the root", "flashatention", "12", "7.9", "a", "的",
)  # fmt: skip
ROUNDS = 20


def main() -> None:
    django.setup()
    from quiz.bank.search import gathering
    from quiz.bank.search.views import results

    gathering.written()
    began = time.process_time()
    index = gathering.index()
    print(f"{len(index.documents)} documents, index laid out in {time.process_time() - began:.2f} s")
    times: dict[str, list[float]] = {query: [] for query in QUERIES}
    for _ in range(ROUNDS):
        for query in QUERIES:
            began = time.process_time()
            results(index.search(query), "zh-hans")
            times[query].append((time.process_time() - began) * 1e3)
    for query, taken in times.items():
        print(f"{query:24} median {median(taken):6.1f} ms   worst {max(taken):6.1f} ms")


if __name__ == "__main__":
    main()
