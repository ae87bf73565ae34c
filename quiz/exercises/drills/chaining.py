"""The three links of an incident as choices, and what each wrong one shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from quiz.exercises.choosing import Pick
from quiz.exercises.drills.incidents import INCIDENTS
from quiz.exercises.types import Misconception, Text

COLUMNS: Mapping[str, tuple[Text, Text]] = MappingProxyType(
    {
        "cause": (
            Text("根因", "cause"),
            Text(
                "题目里的现象是算错了、算不了，还是慢了？换一批输入会不会变？",
                "Is what is seen wrong, impossible or slow, and does it change with the batch?",
            ),
        ),
        "remedy": (
            Text("解决方式", "remedy"),
            Text("这个办法动得到根因本身吗？", "Does this act on the cause itself?"),
        ),
        "evidence": (
            Text("验证证据", "evidence"),
            Text(
                "要是根因还在，这个证据会不会照样出现？",
                "If the cause were still there, could this evidence appear all the same?",
            ),
        ),
    }
)


def picks(column: str) -> dict[str, Pick]:
    """Every option of a column: what is right for each incident, and each near miss."""
    found = {}
    for slug, incident in INCIDENTS.items():
        link = incident.link(column)
        for option, label in ((slug, link.right), (link.near, link.near_label)):
            found[option] = Pick(slug=option, label=label, mistake=f"{column}_{option}")
    return found


def mistakes() -> Iterator[Misconception]:
    """One for each option of each column, where it is not the one."""
    for column, (name, question) in COLUMNS.items():
        for slug, incident in INCIDENTS.items():
            link, other = incident.link(column), incident.name
            yield Misconception(
                slug=f"{column}_{slug}",
                title=Text(f"选成了「{other.zh}」的{name.zh}", f"the {name.en} of “{other.en}”"),
                told=Text(
                    f"这是另一种事故的{name.zh}：{other.zh}。题目里看到的不是那样。",
                    f"That is the {name.en} of another incident: {other.en}. What is seen here is something "
                    f"else.",
                ),
                question=question,
                caption=Text(f"选了「{other.zh}」的", f"That of “{other.en}” chosen"),
            )
            yield Misconception(
                slug=f"{column}_{link.near}",
                title=link.near_title,
                told=link.near_told,
                question=question,
                caption=Text(f"选了：{link.near_title.zh}", f"Chosen: {link.near_title.en}"),
            )
