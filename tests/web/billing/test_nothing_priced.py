"""A shop whose price list is still to come."""


def test_the_page_says_so(client, db):
    assert "No machine has a price yet" in client.get("/en/plans/").content.decode()
