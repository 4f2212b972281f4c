"""The mask of credentials: what it learns from an answer, and where it masks it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from adk_agent_sim.timeline.redaction.credential_mask import CredentialMask

_ANSWER: dict[str, Any] = {
    "authScheme": {"type": "oauth2", "flows": {"implicit": {"authorizationUrl": "https://login.example/auth"}}},
    "exchangedAuthCredential": {
        "authType": "oauth2",
        "oauth2": {
            "clientId": "shop-client",
            "state": "state-123456",
            "authResponseUri": "https://shop.example/back?code=4/0AX4XfWh-code&state=state-123456",
        },
    },
}


def _learn(response: dict[str, Any]) -> tuple[CredentialMask, Any]:
    mask = CredentialMask()
    answer = {"id": "1", "name": "adk_request_credential", "response": response}
    return mask, mask.mask_message({"role": "user", "parts": [{"function_response": answer}]})


def test_an_answer_is_replaced_and_its_values_are_masked_elsewhere() -> None:
    mask, content = _learn(_ANSWER)

    assert content["parts"] == [
        {"function_response": {"id": "1", "name": "adk_request_credential", "response": {"credential": "not recorded"}}}
    ]
    assert mask.mask("code 4/0AX4XfWh-code of shop-client") == "code [redacted] of shop-client"
    assert mask.mask({"see": ["https://login.example/auth", 5]}) == {"see": ["https://login.example/auth", 5]}


@pytest.mark.parametrize("secret", ["1234", "open sesame", 'with "quotes"', "sk-live-Zq81mQ0vXe"])
def test_a_single_value_is_a_credential_of_any_length(secret: str) -> None:
    mask, content = _learn({"result": secret})

    assert secret not in repr(content)
    assert mask.mask({"key": secret, "n": 1}) == {"key": "[redacted]", "n": 1}
    assert mask.mask_data(b'{"n":1}') == b'{"n":1}'


def test_entries_whose_keys_are_credentials_stay_as_many() -> None:
    mask, _ = _learn({"result": "1234"})

    assert mask.mask({"1234": "a", "[redacted]": "b", "c": "d"}) == {"[redacted]": "a", "[redacted] 2": "b", "c": "d"}


def test_tokens_in_credential_objects_are_masked_though_nobody_typed_them() -> None:
    mask = CredentialMask()
    mask.is_active = True
    kept = {"auth_type": "oauth2", "oauth2": {"client_id": "shop", "access_token": "ya29.x", "expires_at": 5}}

    assert mask.mask({"state_delta": {"token": kept}}) == {
        "state_delta": {
            "token": {
                "auth_type": "oauth2",
                "oauth2": {"client_id": "shop", "access_token": "[redacted]", "expires_at": 5},
            }
        }
    }


@pytest.mark.parametrize("password", ["hunter-2-hunter", "pässwörd", "a:b:c", "x"])
def test_a_user_name_and_a_password_are_masked_as_basic_authentication_sends_them(password: str) -> None:
    credential = {"authType": "http", "http": {"scheme": "basic", "credentials": {"username": "ada"}}}
    credential["http"]["credentials"]["password"] = password  # pyright: ignore[reportArgumentType, reportIndexIssue]
    mask, _ = _learn({"exchangedAuthCredential": credential})
    for encoding in ("utf-8", "latin-1"):
        sent = b64encode(f"ada:{password}".encode(encoding)).decode()
        assert mask.mask({"header": f"Basic {sent}"}) == {"header": "Basic [redacted]"}
        assert sent.rstrip("=") not in str(mask.mask(f"curl -H 'Authorization: Basic {sent.rstrip('=')}'"))
    assert mask.mask("signed in as ada") == "signed in as ada"


def test_a_secret_of_a_credential_object_is_masked_in_later_texts() -> None:
    mask = CredentialMask()
    mask.is_active = True
    oauth = {"client_id": "shop", "client_secret": "CLIENTSECRET-xyz789"}
    config = {"raw_auth_credential": {"auth_type": "oauth2", "oauth2": oauth}}

    assert "CLIENTSECRET" not in str(mask.mask({"requested_auth_configs": {"1": config}}))
    assert mask.mask(str(oauth)) == "{'client_id': 'shop', 'client_secret': '[redacted]'}"
    sent = b64encode(b"shop:CLIENTSECRET-xyz789").decode()
    assert mask.mask(f"Basic {sent}") == "Basic [redacted]"


def test_another_message_stays_as_it_is() -> None:
    mask = CredentialMask()
    content = {"role": "user", "parts": [{"text": "hi"}]}

    assert mask.mask_message(content) is content
    assert not mask.is_active
