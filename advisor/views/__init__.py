"""Pages of the advisor: the customer's road, the doctor, files of models, evidence; each reads an address or a form and draws values."""
