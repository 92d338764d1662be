"""The outbox: each task twice, servers that refuse, processes that vanish."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone
from kombu.exceptions import OperationalError

from billing import tasks
from billing.models import OutboxMail
from billing.models.outbox_mail import LEASE
from billing.tasks import deliver_mail, deliver_outbox, nudge_outbox
from tests.web.billing.conftest import a_sent_quote

State = OutboxMail.State


@pytest.fixture
def letter(db):
    return OutboxMail.objects.create(recipient="a@example.com", subject="S", body="B", due_at=timezone.now())


def fails(monkeypatch, place, error):
    def broken(*_args, **_options):
        raise error

    monkeypatch.setattr(place, broken)


def test_run_twice_sent_once(letter):
    assert deliver_outbox() == 1
    assert deliver_outbox() == 0
    assert len(mail.outbox) == 1
    assert mail.outbox[0].extra_headers["Message-ID"] == letter.message_id
    letter.refresh_from_db()
    assert (letter.state, letter.attempts) == (State.SENT, 1)


def test_a_second_taker_gets_nothing(letter):
    now = timezone.now()
    assert OutboxMail.objects.all().claim(letter.pk, now)
    assert not OutboxMail.objects.all().claim(letter.pk, now)
    assert not deliver_mail(letter.pk)
    assert mail.outbox == []


def test_a_claim_of_a_vanished_process_runs_out(letter):
    OutboxMail.objects.all().claim(letter.pk, timezone.now() - LEASE - timedelta(seconds=1))
    assert deliver_outbox() == 1
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("error", [ConnectionRefusedError("no server"), smtplib.SMTPServerDisconnected("gone")])
def test_server_down_loses_nothing(letter, monkeypatch, error):
    with monkeypatch.context() as broken:
        fails(broken, "django.core.mail.backends.locmem.EmailBackend.open", error)
        assert deliver_outbox() == 0
    letter.refresh_from_db()
    assert letter.state == State.WAITING
    assert letter.due_at > timezone.now()
    assert type(error).__name__ in letter.last_error
    OutboxMail.objects.update(due_at=timezone.now())
    assert deliver_outbox() == 1
    assert len(mail.outbox) == 1


def test_a_refusal_is_tried_again_later_and_given_up_at_last(letter, monkeypatch):
    fails(
        monkeypatch,
        "django.core.mail.backends.locmem.EmailBackend.send_messages",
        smtplib.SMTPRecipientsRefused({"a@example.com": (550, b"no")}),
    )
    pauses = []
    for _attempt in range(tasks.MOST_ATTEMPTS):
        OutboxMail.objects.filter(state=State.WAITING).update(due_at=timezone.now())
        assert deliver_outbox() == 0
        letter.refresh_from_db()
        pauses.append(letter.due_at - timezone.now())
    assert letter.state == State.FAILED
    assert pauses[0] < pauses[3] < pauses[-1] <= tasks.LONGEST_PAUSE


@pytest.mark.parametrize("error", [smtplib.SMTPServerDisconnected("gone"), TimeoutError("slow")])
def test_a_break_during_the_hand_over_is_never_repeated_by_itself(letter, monkeypatch, error):
    with monkeypatch.context() as broken:
        fails(broken, "django.core.mail.backends.locmem.EmailBackend.send_messages", error)
        assert deliver_outbox() == 0
    letter.refresh_from_db()
    assert letter.state == State.UNSURE
    assert deliver_outbox() == 0


def test_killed_during_the_hand_over_is_left_to_a_person(client, sam):
    quote, _link = a_sent_quote(sam)
    letter = quote.mails.get()
    OutboxMail.objects.update(state=State.HANDING_OVER, claimed_at=timezone.now() - LEASE - timedelta(seconds=1))
    assert deliver_outbox() == 0
    letter.refresh_from_db()
    assert letter.state == State.UNSURE
    client.force_login(sam)
    assert "Perhaps sent" in client.get(f"/en/sales/quotes/{quote.number}/").content.decode()
    client.post(f"/en/sales/quotes/{quote.number}/mails/{letter.pk}/again/")
    assert deliver_outbox() == 1
    client.post(f"/en/sales/quotes/{quote.number}/mails/{letter.pk}/again/")
    assert deliver_outbox() == 0


def test_no_broker_is_no_error(letter, monkeypatch):
    fails(monkeypatch, "billing.tasks.deliver_outbox.apply_async", OperationalError("no redis"))
    nudge_outbox()
    letter.refresh_from_db()
    assert letter.state == State.WAITING


def test_nothing_of_a_rolled_back_action_is_sent(db, sam, monkeypatch):
    fails(monkeypatch, "billing.actions.step.post_mail", RuntimeError("later part failed"))
    with pytest.raises(RuntimeError):
        a_sent_quote(sam)
    assert not OutboxMail.objects.exists()


def test_subjects_have_no_line_breaks(client, db):
    client.post("/en/ask/", {"contact": "A\r\nBcc: x@example.com", "email": "a@example.com", "consent": "on"})
    assert OutboxMail.objects.filter(subject__contains="A Bcc: x@example.com", body__startswith="A Bcc:").exists()
    assert all("\n" not in letter.subject and "\r" not in letter.subject for letter in OutboxMail.objects.all())
    assert deliver_outbox() == 2
