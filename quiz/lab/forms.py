"""The form of a demonstration, made from its declared parameters; its whole state fits into an address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quiz.lab.demos.demo import Demo, Parameter, Parameters

NOT_OFFERED = gettext_lazy("%(value)s is not offered here.")


class ParametersForm(forms.Form):
    """One field a parameter. `visitor` takes away the options that visitors may not choose."""

    def __init__(self, demo: Demo, data: MultiValueDict[str, str], *, visitor: bool) -> None:
        self.demo = demo
        self.visitor = visitor
        known = {parameter.name for parameter in demo.parameters}
        super().__init__(data if known & set(data) else state(demo, _defaults(demo, visitor=visitor)))
        for parameter in demo.parameters:
            self.fields[parameter.name] = _field(parameter, visitor=visitor)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of a valid form, as they are stored with a run."""
        return {parameter.name: self.cleaned_data[parameter.name] for parameter in self.demo.parameters}

    @property
    def rows(self) -> Iterator[dict[str, Any]]:
        """Each parameter with its bound field, for the template."""
        for parameter in self.demo.parameters:
            yield {
                "parameter": parameter,
                "field": self[parameter.name],
                "visitor_most": _visitor_most(parameter) if self.visitor else None,
            }


def state(demo: Demo, parameters: Parameters) -> QueryDict:
    """Parameters as the query of an address."""
    query = QueryDict(mutable=True)
    query["demo"] = demo.slug
    for parameter in demo.parameters:
        value = parameters[parameter.name]
        if parameter.kind == "some":
            query.setlist(parameter.name, [str(item) for item in value])
        elif parameter.kind != "switch":
            query[parameter.name] = str(value)
        elif value:
            query[parameter.name] = "on"
    return query


def allowed(demo: Demo, parameters: Parameters, *, visitor: bool) -> bool:
    """Whether every chosen option is offered to this kind of person."""
    return ParametersForm(demo, state(demo, parameters), visitor=visitor).is_valid()


def _defaults(demo: Demo, *, visitor: bool) -> dict[str, Any]:
    found = {}
    for parameter in demo.parameters:
        value = parameter.default
        if parameter.kind == "some":
            offered = [option for option, _name in _options(parameter, visitor=visitor)]
            value = [item for item in value if item in offered] or offered[:1]
        found[parameter.name] = value
    return found


def _visitor_most(parameter: Parameter) -> Any:
    """The largest option for visitors, when that is less than what others may choose."""
    if not parameter.visitor_most:
        return None
    most = getattr(settings, parameter.visitor_most)
    return most if most < parameter.options[-1][0] else None


def _options(parameter: Parameter, *, visitor: bool) -> list[tuple[Any, Any]]:
    most = _visitor_most(parameter) if visitor else None
    return [(value, name) for value, name in parameter.options if most is None or value <= most]


def _field(parameter: Parameter, *, visitor: bool) -> forms.Field:
    if parameter.kind == "switch":
        return forms.BooleanField(label=parameter.label, required=False)
    options = _options(parameter, visitor=visitor)
    kind: Any = type(parameter.options[0][0])
    errors = {"invalid_choice": NOT_OFFERED}
    if parameter.kind == "one":
        return forms.TypedChoiceField(
            label=parameter.label,
            choices=options,
            coerce=kind,
            error_messages=errors,
            widget=forms.Select(attrs={"class": "field"}),
        )
    return SomeField(
        label=parameter.label,
        choices=options,
        coerce=kind,
        most=parameter.most,
        error_messages={**errors, "required": _("Choose at least one.")},
        widget=forms.CheckboxSelectMultiple,
    )


class SomeField(forms.TypedMultipleChoiceField):
    """Several of the options, in the options' order, each once, at most so many."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(**options)
        self.most = most

    def clean(self, value: Any) -> Any:
        chosen = set(super().clean(value))
        if len(chosen) > self.most:
            raise forms.ValidationError(_("At most %(most)d at a time.") % {"most": self.most})
        return [option for option, _name in list(self.choices) if option in chosen]  # type: ignore[arg-type]
