"""A form's text becomes the value of its field's kind."""

from advisor.sizing.fields import FIELDS
from advisor.sizing.parsing.text import value_from_text


def test_a_form_text_becomes_the_value_the_contract_wants():
    by_kind = {field.kind: field for fields in FIELDS.values() for field in fields}
    assert value_from_text(by_kind["int"], " 2,048 ") == 2048
    assert value_from_text(by_kind["bool"], "on") is True
    assert value_from_text(by_kind["size"], "800x1333") == [800, 1333]
    assert value_from_text(by_kind["size"], "224") == 224
    assert value_from_text(by_kind["int"], "many") == "many"
