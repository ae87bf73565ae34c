"""What content files may name, and how much is asked of them."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.bank.filing import ContentFile
from quiz.bank.links import Known, dead
from quiz.bank.listings import digest, listings_of, outputs

Files = dict[str, ContentFile]  # by language


@dataclass(frozen=True, kw_only=True)
class Rules:
    """`whole`: every part must be there. `printed`: every listing must have been run."""

    known: Known
    whole: bool = True
    printed: bool = True

    def look_at(self, file: ContentFile) -> None:
        """Complain about dead links and about listings that were not run since they changed."""
        document = file.document
        for line, message in dead(document.body, self.known):
            file.add(document.body_line + line - 1, message)
        if not self.printed:
            return
        for piece in listings_of(document.body):
            if digest(piece.content) not in outputs():
                message = "the listing has no output yet: python -m tests.listings --write"
                file.add(document.body_line + piece.line - 1, message)
