"""The drill of the incident: from what is seen to its cause, the remedy, and the evidence that it helped."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quiz.exercises.choosing import Asked, in_order, sampled, shuffled
from quiz.exercises.drills.chaining import COLUMNS, mistakes, picks
from quiz.exercises.drills.drill import Drill
from quiz.exercises.drills.incidents import INCIDENTS
from quiz.exercises.registry import register
from quiz.exercises.types import Drawn, Misconception, Prompt, SolutionStep, Table, Text

OTHERS = 3  # other incidents whose links are offered beside the right one and its near miss


@register
class SymptomChain(Drill):
    """Drawn: incident; telling, which of its symptoms is told; and for cause, remedy and evidence the options
    in their order.
    """

    slug = "symptom_chain"
    code = "symptom chain"
    title = Text("线上事故：根因、解决、证据", "An incident: cause, remedy, evidence")
    sections = ("7.15", "7.16", "7.17")
    questions = (38,)
    minutes = 3
    misconceptions: ClassVar[tuple[Misconception, ...]] = tuple(mistakes())

    def draw(self, rng: np.random.Generator) -> Drawn:
        incident = str(rng.choice(list(INCIDENTS)))
        others = sampled(rng, (slug for slug in INCIDENTS if slug != incident), OTHERS)
        orders = {
            column: shuffled(rng, [incident, INCIDENTS[incident].link(column).near, *others])
            for column in COLUMNS
        }
        telling = int(rng.integers(len(INCIDENTS[incident].symptoms)))
        return {"incident": incident, "telling": telling, **orders}

    def asked(self, drawn: Drawn) -> tuple[Asked, ...]:
        return tuple(
            Asked(
                name=column,
                label=label,
                picks=in_order(picks(column), drawn[column]),
                right=drawn["incident"],
            )
            for column, (label, _) in COLUMNS.items()
        )

    def prompt(self, drawn: Drawn) -> Prompt:
        symptom = INCIDENTS[drawn["incident"]].symptoms[drawn["telling"]]
        return Prompt(
            task=Text(
                "线上出了这样的事。根因最可能是什么，该怎样解决，拿什么证明真的好了？",
                "This has happened in production. What is the likeliest cause, what is the remedy, and what "
                "proves "
                "that it helped?",
            ),
            givens=(),
            tables=(Table(caption=Text("现象", "What is seen"), rows=((symptom,),)),),
            conventions=(
                Text(
                    "三问各选一项；解决方式要动得到根因，证据要能把「根因还在」排除掉。",
                    "One choice in each of the three; the remedy has to act on the cause, the evidence has "
                    "to rule "
                    "out that the cause is still there.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        incident = INCIDENTS[drawn["incident"]]
        return (
            SolutionStep(
                text=Text(
                    f"这一类事故是「{incident.name.zh}」。",
                    f"Incidents of this kind: {incident.name.en}.",
                )
            ),
            *(
                SolutionStep(
                    text=Text(
                        f"{label.zh}：{incident.link(column).right.zh}。",
                        f"{label.en[0].upper()}{label.en[1:]}: {incident.link(column).right.en}.",
                    ),
                    part=column,
                )
                for column, (label, _) in COLUMNS.items()
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        incident = INCIDENTS[drawn["incident"]]
        return (
            Text(
                "先分清：是结果不对，是算不出来，还是慢；再看它跟着什么变：长度、批，还是谁都不跟。",
                "First tell apart: wrong, impossible, or slow. Then see what it changes with: length, batch, "
                "or "
                "nothing.",
            ),
            Text(
                "解决方式和证据都从根因出发：根因还在时照样成立的证据，什么也证明不了。",
                "Remedy and evidence start from the cause: evidence that would hold with the cause still "
                "there "
                "proves nothing.",
            ),
            Text(f"这一类事故叫「{incident.name.zh}」。", f"This kind of incident: {incident.name.en}."),
        )
