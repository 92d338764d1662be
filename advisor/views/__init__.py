"""Pages of the customer's road; each view reads an address, asks for values and draws them."""
