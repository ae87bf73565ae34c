"""Plants a finished run with every kind of outcome: `python -m tests.lab.plant`; prints its number."""

from __future__ import annotations

import django

django.setup()

from quiz.work.models import State  # noqa: E402
from tests.lab.planted import DEMO, PARAMETERS, a_run, measured, store  # noqa: E402

MIB = 2**20


def main() -> None:
    lengths = [256, 512, 1024, 2048, 4096]
    run = a_run(
        state=State.DONE,
        parameters={**PARAMETERS, "backends": ["flash", "naive", "math"], "lengths": lengths, "heads": 8},
    )
    speed = {"flash": 1.0, "naive": 3.2, "math": 3.6}
    for position, point in enumerate(DEMO.points(run.parameters)):
        predicted = DEMO.foretold(point)["predicted_peak_bytes"]
        if point["backend"] == "naive" and point["length"] >= 4096:
            store(
                run,
                position,
                {"outcome": "out_of_memory", "reason": "DefaultCPUAllocator", **DEMO.foretold(point)},
            )
        elif point["backend"] == "math" and point["length"] >= 2048:
            store(
                run,
                position,
                {"outcome": "timed_out", "reason": "stopped after 60 s", **DEMO.foretold(point)},
            )
        else:
            median = speed[point["backend"]] * point["length"] ** 2 / 2**18
            found = measured(median, spread=0.08, peak=int(predicted * 1.03) + MIB // 8)
            store(run, position, {**found, "predicted_peak_bytes": predicted})
    print(run.pk)


if __name__ == "__main__":
    main()
