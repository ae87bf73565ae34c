"""Django's index of the features' models. Import a model from its feature, not from here."""

from quiz.accounts.models import User, Visitor
from quiz.bank.models import Question, QuestionText, Section, SectionText
from quiz.bank.reading.models import Reading, Tick
from quiz.lab.models import Point, Run
from quiz.practice.models import PracticeSet
from quiz.responses.models import Help, Probe, Report, Response, Variant
from quiz.work.models import Job, Worker

__all__ = [
    "Help",
    "Job",
    "Point",
    "PracticeSet",
    "Probe",
    "Question",
    "QuestionText",
    "Reading",
    "Report",
    "Response",
    "Run",
    "Section",
    "SectionText",
    "Tick",
    "User",
    "Variant",
    "Visitor",
    "Worker",
]
