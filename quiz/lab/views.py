"""The lab's pages: choose and start a run, watch it, read it, compare two, take them away."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseStopPolling, reswap, retarget

from quiz.accounts.people import Person, person_of, person_to_record
from quiz.lab import demos, starting
from quiz.lab.demos.demo import Demo
from quiz.lab.exporting import to_csv, to_json
from quiz.lab.models import Run
from quiz.lab.offering import Offer, offer
from quiz.lab.reference import stored
from quiz.lab.results import rows_of
from quiz.lab.showing import Findings, RunPage, lines, run_page, worker_lines
from quiz.lab.sides import compare_page

FIRST_DEMO = "attention_length"
LISTED = 8


def _demo(slug: str) -> Demo:
    try:
        return demos.get(slug)
    except demos.UnknownDemo:
        raise Http404 from None


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The form with its predicted cost; htmx asks for the cost alone while the form is changed."""
    person = person_of(request)
    offered = offer(person, _demo(request.GET.get("demo", FIRST_DEMO)), request.GET, now=timezone.now())
    if request.headers.get("HX-Target") == "cost":
        response = render(request, "lab/_cost.html", {"offer": offered})
    else:
        response = _index(request, person, offered)
    patch_vary_headers(response, ["HX-Target"])
    return response


def _index(request: HttpRequest, person: Person, offered: Offer) -> HttpResponse:
    everyones = lines(Run.objects.with_job()[:LISTED])
    context = {
        "offer": offered,
        "demos": demos.all_demos(),
        "mine": lines(Run.objects.of(person).with_job()[:LISTED]),
        "all": everyones,
        "stored_runs": stored(offered.demo),
        "workers": worker_lines(offered.workers),
    }
    return render(request, "lab/index.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Start the run, or show the one that measured the same (unless `again`). Refused, it leads back to the
    form, which keeps what was chosen and says every reason why not; so does looking at this address.
    """
    if request.method != "POST":
        return _chosen(_demo(request.GET.get("demo", FIRST_DEMO)), request.GET)
    person, now = person_of(request), timezone.now()
    demo = _demo(request.POST.get("demo", FIRST_DEMO))
    offered = offer(person, demo, request.POST, now=now)
    if offered.answer is not None and "again" not in request.GET:
        return redirect(f"{reverse('lab:run', args=[offered.answer.pk])}?answered")
    if not offered.may_start or offered.assessment is None:
        return _chosen(demo, request.POST)
    person = person_to_record(request)
    try:
        run = starting.start(person, offered.assessment, now=now)
    except starting.NotAllowed:  # someone else was quicker
        return _chosen(demo, request.POST)
    return redirect("lab:run", run.pk)


def _chosen(demo: Demo, asked: QueryDict) -> HttpResponse:
    """To the form with what was asked for, and nothing else of the request, in its address."""
    query = QueryDict(mutable=True)
    query["demo"] = demo.slug
    for name in ("device", *(parameter.name for parameter in demo.parameters)):
        if name in asked:
            query.setlist(name, asked.getlist(name))
    return redirect(f"{reverse('lab:index')}?{query.urlencode()}#cost")


def _page(request: HttpRequest, number: int) -> RunPage:
    run = get_object_or_404(Run.objects.with_job(), pk=number)
    _demo(run.demo)
    return run_page(run, person_of(request), now=timezone.now())


@require_safe
def run(request: HttpRequest, number: int) -> HttpResponse:
    """A run: its place in the queue, its progress, or its results. Anyone with the link may look."""
    answered = "answered" in request.GET
    return render(request, "lab/run.html", {"page": _page(request, number), "answered": answered})


@require_safe
@vary_on_headers("HX-Request")
def progress(request: HttpRequest, number: int) -> HttpResponse:
    """What changes while a run is watched, for a page that shows so many `points`. At the end its whole state
    is replaced; status 286 tells htmx that it is over.
    """
    page = _page(request, number)
    if not request.headers.get("HX-Request"):
        return redirect("lab:run", number)
    points = request.GET.get("points", "")
    shown = int(points) if points.isascii() and points.isdigit() else 0
    response = render(request, "lab/_watched.html", {"page": page, "shown": shown})
    if page.is_finished:
        response.status_code = HttpResponseStopPolling.status_code
        return reswap(retarget(response, "#state"), "outerHTML")
    return response


@require_POST
def cancel(request: HttpRequest, number: int) -> HttpResponse:
    """Stop a run: only its owner or an instructor."""
    found = get_object_or_404(Run.objects.with_job(), pk=number)
    if not starting.may_cancel(person_of(request), found):
        raise PermissionDenied
    starting.cancel(found)
    return redirect("lab:run", number)


@require_safe
def csv(request: HttpRequest, number: int) -> HttpResponse:
    """The points of a run, one row each."""
    found = get_object_or_404(Run, pk=number)
    rows = rows_of(found.points.all(), _demo(found.demo))
    return _download(to_csv(rows), f"qkv-lab-{found.pk}.csv")


@require_safe
def json(request: HttpRequest, number: int) -> HttpResponse:
    """The whole run: parameters, and every point with its machine."""
    found = get_object_or_404(Run, pk=number)
    demo = _demo(found.demo)
    return _download(
        to_json(demo, found.parameters, rows_of(found.points.all(), demo)), f"qkv-lab-{found.pk}.json"
    )


@require_safe
def stored_csv(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The points of a run that came with the program."""
    return _download(to_csv(_stored(slug, kind).rows), f"qkv-lab-{slug}-{kind}.csv")


@require_safe
def stored_json(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The same, whole."""
    found = _stored(slug, kind)
    return _download(to_json(found.demo, found.parameters, found.rows), f"qkv-lab-{slug}-{kind}.json")


def _stored(slug: str, kind: str) -> Findings:
    for one in stored(_demo(slug)):
        if one.kind == kind:
            return one.found
    raise Http404


def _download(text: str, name: str) -> HttpResponse:
    kind = "text/csv" if name.endswith(".csv") else "application/json"
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two runs of one demonstration side by side; without two, the form to choose them."""
    try:
        page = compare_page(person_of(request), request.GET)
    except demos.UnknownDemo:
        raise Http404 from None
    return render(request, "lab/compare.html", {"page": page}, status=page.status)
