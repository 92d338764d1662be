"""Quotations under load and under the axe: parallel creations, parallel acceptances, processes killed between commit and mail."""

import os
import signal
import socketserver
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, connections, transaction
from django.utils import timezone

from billing.actions.decision import NotOpen, Visitor, quote_accept, quote_decline
from billing.actions.quote import EditConflict, quote_save
from billing.drafts import contact_of, head_of, lines_of
from billing.models import Decision, NumberSequence, OutboxMail, Quote, QuoteLink, QuoteRequest
from billing.models.outbox_mail import LEASE
from billing.tasks import deliver_mail, nudge_outbox
from tests.web.billing.conftest import a_quote, a_sent_quote

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
MANY = 40


@pytest.fixture
def seller():
    return User.objects.create_user("seller", email="seller@example.com")


def in_parallel(count, what):
    """Run `what(n)` in so many threads that start together, each with its own connection."""
    together = threading.Barrier(count)

    def one(n):
        try:
            together.wait(30)
            return what(n)
        except (NotOpen, EditConflict, IntegrityError) as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_40_creations_have_40_consecutive_numbers(seller):
    made = in_parallel(MANY, lambda _n: a_quote(seller).sequence)
    assert sorted(made) == list(range(1, MANY + 1))
    assert sorted(Quote.objects.values_list("sequence", flat=True)) == list(range(1, MANY + 1))
    year = timezone.localdate().year
    assert set(Quote.objects.values_list("number", flat=True)) == {f"Q-{year}-{n:04d}" for n in range(1, MANY + 1)}


def test_failed_creations_leave_no_gap(seller):
    def one(n):
        if n % 2:
            return a_quote(seller).sequence
        with transaction.atomic():
            a_quote(seller)
            transaction.set_rollback(True)
        return None

    made = [number for number in in_parallel(20, one) if number]
    assert sorted(made) == list(range(1, 11))
    assert NumberSequence.objects.get().last == 10


def test_40_acceptances_are_one(seller):
    _quote, link = a_sent_quote(seller)
    answers = in_parallel(
        MANY, lambda n: quote_accept(link=link, name=f"Person {n}", visitor=Visitor("127.0.0.1"), now=timezone.now())
    )
    assert sum(made for _decision, made in answers) == 1
    assert len({decision.pk for decision, _made in answers}) == 1
    assert Decision.objects.count() == 1
    assert OutboxMail.objects.filter(subject__startswith="You have accepted").count() == 1
    assert Quote.objects.get().state == "accepted"


def test_accepting_and_declining_at_once_is_one_of_them(seller):
    _quote, link = a_sent_quote(seller)

    def one(n):
        values = {"link": link, "name": "W", "visitor": Visitor(None), "now": timezone.now()}
        return quote_accept(**values) if n % 2 else quote_decline(**values, reason="no")

    in_parallel(20, one)
    assert Decision.objects.count() == 1
    assert Quote.objects.get().state == Decision.objects.get().kind


def test_of_20_saves_of_one_draft_one_counts(seller):
    quote = a_quote(seller)
    values = {
        "contact": contact_of(quote.customer),
        "head": head_of(quote.revision),
        "lines": lines_of(quote.revision),
        "now": timezone.now(),
        "catalogue_version": 0,
    }
    answers = in_parallel(20, lambda _n: quote_save(quote=quote, expected_version=1, by=seller, **values))
    assert sum(isinstance(answer, EditConflict) for answer in answers) == 19
    assert Quote.objects.get().version == 2
    assert Quote.objects.get().revision.lines.count() == 1


def test_20_workers_send_one_mail(seller, mailoutbox):
    a_sent_quote(seller)
    pk = OutboxMail.objects.get().pk
    assert sum(in_parallel(20, lambda _n: deliver_mail(pk))) == 1
    assert len(mailoutbox) == 1


class Post(socketserver.ThreadingTCPServer):
    """A mail server that takes everything and remembers it."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Talk)
        self.letters = []


class Talk(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 test\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                body = b""
                while (part := self.rfile.readline()) != b".\r\n":
                    body += part
                self.server.letters.append(body)
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")
            if word == b"QUIT":
                return


@pytest.fixture
def post():
    with Post() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def url_of_database() -> str:
    """The test's own database, for other processes."""
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}"))


def run(script: str, post: Post, *, expect: int = 0) -> None:
    """A process of its own on the same database, with a real mail server."""
    environment = os.environ | {
        "DATABASE_URL": url_of_database(),
        "EMAIL_URL": f"smtp://127.0.0.1:{post.server_address[1]}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "HTTPS": "0",
    }
    head = "import os, signal, django; django.setup()\n"
    done = subprocess.run(
        [sys.executable, "-c", head + script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == expect, done.stderr


SEND = """
from django.contrib.auth.models import User
from tests.web.billing.conftest import a_sent_quote
a_sent_quote(User.objects.get(username="seller"))
os.kill(os.getpid(), signal.SIGKILL)
"""
CLAIM_AND_DIE = """
from django.core.mail.backends import smtp
smtp.EmailBackend.open = lambda self: os.kill(os.getpid(), signal.SIGKILL)
from billing.tasks import deliver_outbox
deliver_outbox()
"""
DELIVER = "from billing.tasks import deliver_outbox; deliver_outbox(); deliver_outbox()"
DIE_IN_TRANSACTION = """
from django.contrib.auth.models import User
from billing.actions import step
step.post_mail = lambda **options: os.kill(os.getpid(), signal.SIGKILL)
from tests.web.billing.conftest import a_sent_quote
a_sent_quote(User.objects.get(username="seller"))
"""


def test_killed_between_commit_and_mail_is_sent_once(seller, post):
    run(SEND, post, expect=-signal.SIGKILL)
    assert Quote.objects.get().state == "sent"
    assert post.letters == []
    run(DELIVER, post)
    run(DELIVER, post)
    assert len(post.letters) == 1
    assert QuoteLink.objects.get().token.encode() in post.letters[0].replace(b"=\r\n", b"")
    assert OutboxMail.objects.get().state == "sent"


def test_killed_after_the_claim_is_sent_once_by_another(seller, post):
    run(SEND, post, expect=-signal.SIGKILL)
    run(CLAIM_AND_DIE, post, expect=-signal.SIGKILL)
    assert OutboxMail.objects.get().state == "claimed"
    run(DELIVER, post)
    assert post.letters == []
    OutboxMail.objects.update(claimed_at=timezone.now() - LEASE - timedelta(seconds=1))
    run(DELIVER, post)
    run(DELIVER, post)
    assert len(post.letters) == 1


def test_killed_inside_the_transaction_leaves_the_draft(seller, post):
    run(DIE_IN_TRANSACTION, post, expect=-signal.SIGKILL)
    quote = Quote.objects.get()
    assert quote.state == "draft"
    assert quote.revision.snapshot is None
    assert not OutboxMail.objects.exists()
    assert not QuoteLink.objects.exists()


def test_mail_server_down_then_up(seller, post):
    run(SEND, post, expect=-signal.SIGKILL)
    post.shutdown()
    post.server_close()
    run(DELIVER, post)
    letter = OutboxMail.objects.get()
    assert (letter.state, letter.attempts) == ("waiting", 1)
    with Post() as again:
        threading.Thread(target=again.serve_forever, daemon=True).start()
        OutboxMail.objects.update(due_at=timezone.now())
        run(DELIVER, again)
        assert len(again.letters) == 1
        again.shutdown()


WORKER = [
    "-m",
    "celery",
    "-A",
    "config",
    "worker",
    "--pool",
    "solo",
    "--loglevel",
    "WARNING",
    "--without-gossip",
    "--without-mingle",
]


def test_a_worker_killed_and_started_again_sends_each_mail_once(seller, post):
    """A real worker on the real broker: killed while mails wait, its successor sends each of them once."""
    for _n in range(5):
        a_sent_quote(seller)
    environment = os.environ | {
        "DATABASE_URL": url_of_database(),
        "EMAIL_URL": f"smtp://127.0.0.1:{post.server_address[1]}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "HTTPS": "0",
        "CELERY_EAGER": "0",
    }

    def worker():
        return subprocess.Popen([sys.executable, *WORKER], cwd=ROOT, env=environment, start_new_session=True)

    first = worker()
    nudge_outbox()
    wait_for(lambda: len(post.letters) >= 1, 60)
    first.kill()
    first.wait()
    OutboxMail.objects.filter(state="claimed").update(claimed_at=timezone.now() - LEASE - timedelta(seconds=1))
    second = worker()
    try:
        nudge_outbox()
        nudge_outbox()
        wait_for(lambda: not OutboxMail.objects.filter(state__in=["waiting", "claimed"]).exists(), 60)
    finally:
        second.kill()
        second.wait()
    unsure = OutboxMail.objects.filter(state="handing_over").count()  # killed between the hand-over and its answer
    assert len(set(post.letters)) == len(post.letters)
    assert 5 - unsure <= len(post.letters) <= 5
    assert OutboxMail.objects.filter(state="sent").count() == 5 - unsure
    assert unsure <= 1


def wait_for(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


ASK_WITHOUT_REDIS = """
import time
from django.test import Client
start = time.monotonic()
answer = Client().post("/en/ask/", {"contact": "W", "email": "w@example.com", "consent": "on"}, headers={"Host": "localhost"})
assert answer.status_code == 302, answer.status_code
assert time.monotonic() - start < 20
"""


def test_without_redis_a_request_is_kept_and_its_mails_wait(seller, post, monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    run(ASK_WITHOUT_REDIS, post)
    assert QuoteRequest.objects.get().contact == "W"
    assert set(OutboxMail.objects.values_list("state", flat=True)) == {"waiting"}
    run(DELIVER, post)
    assert len(post.letters) == 2
