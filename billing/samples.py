"""Sample requests and quotations, so that a fresh shop shows its sales at work. Made by the same actions as real ones; every one says
that it is a sample, in the name of the customer and by addresses that reach nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.translation import override

from billing.actions.decision import Visitor, quote_accept, quote_decline, quote_question
from billing.actions.quote import quote_create
from billing.actions.quote_request import quote_request_close, quote_request_create, quote_request_take
from billing.actions.step import quote_approve, quote_expire, quote_revise, quote_send, quote_submit, quote_withdraw
from billing.drafts import head_of, lines_of
from billing.forms import new_head
from billing.line_pricing import lines_of_advice
from billing.models import Quote, QuoteLink, QuoteRequest, Seller
from billing.models.choices import Language, Scenario
from billing.offer import Contact, OfferLine
from billing.queries import authority_of, catalogue_of
from catalog.formats import card_words
from catalog.snapshot import Catalogue

DOMAIN = "sample.example"
"""No mail reaches it (RFC 2606), and no real customer has it."""
EN, ZH = Language.EN.value, Language.ZH.value
Lines = tuple[tuple[str, str, int, str], ...]
"""(machine, plan, cards, periods)."""


@dataclass(frozen=True, slots=True)
class Staff:
    """Who sells in the samples, and who approves."""

    sales: User
    colleague: User
    manager: User


@dataclass(frozen=True, slots=True)
class Sample:
    """One customer and what is wanted."""

    name: str
    organisation: str
    mailbox: str
    language: str
    message: str
    lines: Lines
    scenario: str = ""
    summary: str = ""
    reasons: tuple[tuple[str, str], ...] = ()
    discount_percent: str = "0"
    of_colleague: bool = False

    @property
    def contact(self) -> dict[str, str]:
        """As the ask form stores it."""
        return {
            "contact": self.name,
            "organisation": self.organisation,
            "email": f"{self.mailbox}@{DOMAIN}",
            "phone": "",
            "message": self.message,
        }

    def advice(self, catalogue: Catalogue) -> dict[str, Any] | None:
        """As a result hands it on; None where somebody asks without one."""
        if not self.summary:
            return None
        return {
            "scenario": self.scenario,
            "summary": self.summary,
            "lines": [
                {
                    "sku": sku,
                    "gpu": card_words(catalogue.gpus[sku.rpartition("-x")[0]]),
                    "count": cards,
                    "plan": plan,
                    "periods": periods,
                }
                for sku, plan, cards, periods in self.lines
            ],
            "reasons": [{"tone": tone, "text": text} for tone, text in self.reasons],
        }


VISION = Sample(
    "王老师", "示例大学视觉实验室（示例）", "wang", ZH,
    "下月初开始用，能开专用发票吗？", (("rtx-4090-24g-x4", "week", 4, "2"),), Scenario.VISION,
    "训练检测模型：RTX 4090 24G × 4，周卡 × 2", (("pro", "显存够用：每张卡约需 17 GiB"), ("pro", "比按小时便宜约四分之一"), ("con", "4 卡之间没有 NVLink")),
)  # fmt: skip
CHAT = Sample(
    "Ann Lee", "Harbour Robotics (sample)", "ann", EN,
    "We start with one machine and may need a second in January.", (("rtx-4090-24g-x2", "month", 2, "1"),), Scenario.LLM,
    "Serving a 32B chat model to 20 people: RTX 4090 24G × 2, one month card",
    (("pro", "Weights and cache fit with room to spare"), ("con", "Long documents wait longer for their first word")),
)  # fmt: skip
PLAIN = Sample(
    "Tom Baker",
    "Baker Studio (sample)",
    "tom",
    EN,
    "Two cards for three weekends of rendering. What would that cost?",
    (),
)
TAKEN = Sample(
    "李工", "示例影像科技（示例）", "li", ZH, "先试一周，合适再包月。", (("rtx-3090-24g-x1", "week", 1, "1"),), Scenario.AIGC,
    "微调文生图模型：RTX 3090 24G × 1，周卡 × 1", (("pro", "显存够用"), ("how", "每 30 分钟存一次检查点")),
)  # fmt: skip
CLOSED = Sample("Sam Hill", "Hill Mining (sample)", "sam", EN, "Can I mine coins on your cards?", ())
DRAFT = replace(TAKEN, name="赵老师", organisation="示例语音研究所（示例）", mailbox="zhao", message="请按两张卡报价。", scenario=Scenario.SPEECH,
    summary="转写 2,000 小时录音：RTX 3090 24G × 2，日卡 × 3", lines=(("rtx-3090-24g-x2", "day", 2, "3"),))  # fmt: skip
DEEP = replace(
    VISION,
    name="陈老师",
    organisation="示例智能制造实验室（示例）",
    mailbox="chen",
    message="长期合作，价格能再低些吗？",
    discount_percent="18",
)
ACCEPTED = replace(
    CHAT,
    name="Maria Sol",
    organisation="Sol Analytics (sample)",
    mailbox="maria",
    message="Invoice to Sol Analytics, please.",
)
DECLINED = replace(
    PLAIN,
    of_colleague=True,
    name="Jo Park",
    organisation="Park Games (sample)",
    mailbox="jo",
    lines=(("rtx-4090-24g-x1", "hour", 1, "60"),),
)
EXPIRED = replace(
    TAKEN,
    of_colleague=True,
    name="孙工",
    organisation="示例生物信息（示例）",
    mailbox="sun",
    message="下个月再定。",
    scenario=Scenario.SCIENCE,
    summary="蛋白质结构预测：RTX 3090 24G × 1，周卡 × 1",
    reasons=(("pro", "单个结构约需 14 GiB 显存"),),
)
REVISED = replace(
    VISION, name="周工", organisation="示例遥感中心（示例）", mailbox="zhou", message="改成四周。", discount_percent="5"
)
WITHDRAWN = replace(
    CHAT, name="Eve Moss", organisation="Moss Media (sample)", mailbox="eve", message="We ask again next year."
)


@transaction.atomic
def load_sample_sales(*, staff: Staff, now: datetime, address: str) -> int:
    """How many requests and quotations were made: none where there are some already, samples or real ones.

    `address`: where this shop is, for the links in its mails.
    """
    if QuoteRequest.objects.exists() or Quote.objects.exists():
        return 0
    maker = _Maker(staff, now, address.rstrip("/"), catalogue_of(Seller.objects.current().currency))
    maker.run()
    return QuoteRequest.objects.count() + Quote.objects.count()


@dataclass(frozen=True, slots=True)
class _Maker:
    staff: Staff
    now: datetime
    address: str
    catalogue: Catalogue

    def run(self) -> None:
        """Each kind of request, and a quotation in each state."""
        for sample in (VISION, CHAT, PLAIN):
            self.request(sample)
        quote_request_take(request=self.request(TAKEN), by=self.staff.sales)
        quote_request_close(
            request=self.request(CLOSED), by=self.staff.sales, reason="Not what our cards are for (sample)"
        )
        self.quote(DRAFT)
        self.submit(self.quote(DEEP))
        self.submit(
            approved := self.quote(replace(DEEP, name="林老师", organisation="示例光学所（示例）", mailbox="lin"))
        )
        self.approve(approved)
        self.send(self.quote(VISION, self.now - timedelta(days=2)), self.now - timedelta(days=2))
        self.ended()

    def ended(self) -> None:
        """What customers and the clock have done."""
        visitor = Visitor("192.0.2.10", "sample")
        asked = self.sent(replace(TAKEN, name="吴工", organisation="示例广告设计（示例）", mailbox="wu"), days=1)
        quote_question(link=asked, text="能换成两张 4090 吗？发票抬头写公司全称。", now=self.now)
        quote_accept(
            link=self.sent(ACCEPTED, days=6), name="Maria Sol", visitor=visitor, now=self.now - timedelta(days=3)
        )
        quote_decline(
            link=self.sent(DECLINED, days=9), name="Jo Park", reason="Our own machine came sooner than expected.",
            visitor=visitor, now=self.now - timedelta(days=7),
        )  # fmt: skip
        expired = self.sent(EXPIRED, days=40)
        quote_expire(quote_id=expired.revision.quote_id, now=self.now)
        quote = self.sent(WITHDRAWN, days=5).revision.quote
        quote_withdraw(
            quote=quote, by=quote.owner, expected_version=quote.version, now=self.now, reason="Asked twice (sample)"
        )
        self.revise(self.sent(REVISED, days=4).revision.quote)

    def request(self, sample: Sample) -> QuoteRequest:
        """As the ask form sends it."""
        with override(sample.language):
            inbox = f"{self.address}{reverse('billing:inbox')}"
        return quote_request_create(
            contact=sample.contact,
            language=sample.language,
            advice=sample.advice(self.catalogue),
            address=None,
            inbox_url=inbox,
        )

    def quote(self, sample: Sample, at: datetime | None = None) -> Quote:
        """A draft from a request, at the catalogue's prices."""
        request = self.request(sample)
        head = new_head(Seller.objects.current(), sample.language)
        at = at or self.now
        head = replace(head, valid_until=head.valid_until - (self.now.date() - at.date()), purpose=sample.summary[:200])
        wanted: list[Mapping[str, object]] = [
            {"sku": sku, "count": cards, "plan": plan, "periods": periods} for sku, plan, cards, periods in sample.lines
        ]
        lines = lines_of_advice(wanted, self.catalogue, head)
        return quote_create(
            by=self.staff.colleague if sample.of_colleague else self.staff.sales,
            contact=Contact(**{name: sample.contact[name] for name in ("organisation", "contact", "email", "phone")}, language=sample.language),
            head=head,
            lines=[_less(line, sample.discount_percent) for line in lines],
            now=at,
            request=request,
            scenario=request.scenario,
            advice=request.advice,
            catalogue_version=self.catalogue.version,
        )  # fmt: skip

    def submit(self, quote: Quote) -> None:
        """The discount is over a salesperson's limit."""
        url = f"{self.address}{reverse('billing:quote', args=[quote.number])}"
        quote_submit(quote=quote, by=quote.owner, expected_version=quote.version, quote_url=url)

    def approve(self, quote: Quote) -> None:
        """By the manager."""
        version = Quote.objects.get(pk=quote.pk).version
        manager = self.staff.manager
        quote_approve(quote=quote, by=manager, expected_version=version, authority=authority_of(manager))

    def send(self, quote: Quote, at: datetime) -> QuoteLink:
        """To the customer."""
        quote_send(
            quote=quote,
            by=quote.owner,
            expected_version=quote.version,
            authority=authority_of(quote.owner),
            now=at,
            link_address=self._link,
        )
        return QuoteLink.objects.select_related("revision__quote__owner").get(revision__quote=quote)

    def _link(self, link: QuoteLink) -> str:
        with override(link.revision.language):
            return f"{self.address}{reverse('billing:offer', args=[link.token])}"

    def sent(self, sample: Sample, *, days: int) -> QuoteLink:
        """The link of an offer that went out some days ago."""
        at = self.now - timedelta(days=days)
        return self.send(self.quote(sample, at), at)

    def revise(self, quote: Quote) -> None:
        """Four weeks instead of two: a second revision, not sent yet."""
        revision = quote.revision
        lines = [replace(line, periods=Decimal(4)) for line in lines_of(revision)]
        quote_revise(
            quote=quote,
            by=quote.owner,
            expected_version=quote.version,
            now=self.now,
            head=head_of(revision),
            lines=lines,
            catalogue_version=revision.catalogue_version,
        )


def _less(line: OfferLine, percent: str) -> OfferLine:
    return replace(line, discount_percent=Decimal(percent))
