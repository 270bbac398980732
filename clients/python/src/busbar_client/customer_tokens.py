"""Tokens for one customer, made by the builder's server for pages of the customer."""

import base64
import json
import time


def sign_customer_token(
    *, private_key_pem: str, key_id: str, group_ref: str, consumer_ref: str, life_seconds: int = 600
) -> str:
    """Returns a token that allows what the UI library needs, for one customer only. Call it on your server: the key is secret.

    `private_key_pem` is the PKCS #8 PEM whose public key was registered with `create_jwt_key`; `key_id` is what that returned.
    Needs the package `cryptography`: `pip install 'busbar-client[tokens]'`.
    """
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if not 0 < life_seconds <= 600:
        raise ValueError("life_seconds is from 1 to 600")
    key = load_pem_private_key(private_key_pem.encode(), password=None)
    if not isinstance(key, RSAPrivateKey):
        raise TypeError("The key is not an RSA key: tokens are signed with RS256")
    issued = int(time.time())
    claims = {"groupRef": group_ref, "consumerRef": consumer_ref, "iat": issued, "exp": issued + life_seconds}
    signed = f"{_encode({'alg': 'RS256', 'typ': 'JWT', 'kid': key_id})}.{_encode(claims)}"
    return f"{signed}.{_base64url(key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


def _encode(value: dict[str, object]) -> str:
    return _base64url(json.dumps(value, separators=(",", ":")).encode())


def _base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
