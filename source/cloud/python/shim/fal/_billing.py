"""Billing of fal, which has no effect here."""


class BillingComponents(dict):
    """Components of an endpoint's bill."""


class BillingDeclaration:
    """Declares an endpoint's components."""
