"""What pages of the customer's road show, as plain values made from answers, estimates and recommendations."""
