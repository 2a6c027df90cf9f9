"""A second verifier of histories, written from docs/specification.md and docs/rules/.

Beside the standard library it needs `cryptography`, for Ed25519 alone. It shares no code with the service.
"""
