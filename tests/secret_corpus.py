"""Secrets and near misses to measure redaction with.

No secret is real: each is made at run time from a prefix and characters of a seeded generator, so that the repository
contains none either.
"""

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class SecretCase:
    """A value that contains a secret."""

    label: str
    value: Any
    secret: str
    """What must not be in the redacted value; of a secret in several forms, the part that all share."""


class _Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - the values must be the same in every run

    def pick(self, alphabet: str, count: int) -> str:
        """Return characters of the alphabet, at least one digit and one letter among them if it has both."""
        chars = [self._random.choice(alphabet) for _ in range(count)]
        if count >= 6:
            chars[1], chars[3] = (
                (next(c for c in alphabet[::-1] if c.isdigit()) if "7" in alphabet else chars[1]),
                chars[3],
            )
            chars[2] = next((c for c in alphabet if c.isalpha()), chars[2])
            chars[4] = "7" if "7" in alphabet else chars[4]
        return "".join(chars)

    def password(self) -> str:
        """Return a password of ordinary strength: letters, and digits in between."""
        return self.pick(string.ascii_lowercase, 6) + self.pick(string.digits, 2) + self.pick(string.ascii_lowercase, 2)


def _encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def make_jwt(made: _Generator) -> str:
    """Return a JSON Web Token with a random signature."""
    claims = {"sub": made.pick(_ALNUM, 10), "iat": 1_700_000_000}
    return f"{_encode({'alg': 'HS256', 'typ': 'JWT'})}.{_encode(claims)}.{made.pick(_ALNUM, 43)}"


def make_pem(made: _Generator, kind: str = "RSA ", newline: str = "\n") -> str:
    """Return something in the armor of a private key."""
    lines = [made.pick(_ALNUM + "+/", 64) for _ in range(6)]
    name = f"{kind}PRIVATE {'KEY'}"
    return newline.join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"])


def _vendor_keys(made: _Generator) -> list[tuple[str, str]]:
    def a(count: int) -> str:
        return made.pick(_ALNUM, count)

    def h(count: int) -> str:
        return made.pick(_HEX, count)

    def u(count: int) -> str:
        return made.pick(_UPPER, count)

    def low(count: int) -> str:
        return made.pick(string.ascii_lowercase + string.digits, count)

    def d(count: int) -> str:
        return made.pick(string.digits, count)

    return [
        ("aws", "AK" + "IA" + u(16)),
        ("aws temporary", "AS" + "IA" + u(16)),
        ("google", "AI" + "za" + a(35)),
        ("google oauth", "GOCSPX" + "-" + a(28)),
        ("google access", "ya" + "29." + a(60)),
        ("google refresh", "1/" + "/0" + a(40)),
        ("openai old", "sk" + "-" + a(20) + "T3Blb" + "kFJ" + a(20)),
        ("openai project", "sk" + "-proj-" + a(48)),
        ("anthropic", "sk" + "-ant-api03-" + a(80) + "AA"),
        ("openrouter", "sk" + "-or-v1-" + h(64)),
        ("deepseek", "sk" + "-" + h(32)),
        ("github", "gh" + "p_" + a(36)),
        ("github oauth", "gh" + "o_" + a(36)),
        ("github app", "gh" + "s_" + a(36)),
        ("github refresh", "gh" + "r_" + a(36)),
        ("github fine", "github" + "_pat_" + a(22) + "_" + a(59)),
        ("gitlab", "gl" + "pat-" + a(20)),
        ("gitlab deploy", "gl" + "dt-" + a(20)),
        ("gitlab runner", "gl" + "rt-" + a(20)),
        ("gitlab registration", "GR" + "1348941" + a(20)),
        ("gitlab ci", "gl" + "cbt-" + a(22)),
        ("slack bot", "xo" + "xb-" + d(12) + "-" + d(12) + "-" + a(24)),
        ("slack user", "xo" + "xp-" + d(12) + "-" + d(12) + "-" + h(32)),
        ("slack app", "xa" + "pp-1-" + u(11) + "-" + d(13) + "-" + h(64)),
        ("slack webhook", "T" + u(8) + "/B" + u(8) + "/" + a(24)),
        ("discord bot", "M" + a(23) + "." + a(6) + "." + a(27)),
        ("stripe", "sk" + "_live_" + a(24)),
        ("stripe test", "sk" + "_test_" + a(24)),
        ("stripe restricted", "rk" + "_live_" + a(24)),
        ("stripe webhook", "wh" + "sec_" + a(32)),
        ("twilio", "A" + "C" + h(32)),
        ("twilio key", "S" + "K" + h(32)),
        ("sendgrid", "S" + "G." + a(22) + "." + a(43)),
        ("mailgun", "ke" + "y-" + h(32)),
        ("mailchimp", h(32) + "-u" + "s12"),
        ("npm", "np" + "m_" + a(36)),
        ("pypi", "py" + "pi-AgEIcHlwaS5vcmc" + a(80)),
        ("hugging face", "h" + "f_" + a(34)),
        ("replicate", "r" + "8_" + a(37)),
        ("groq", "gs" + "k_" + a(52)),
        ("xai", "xa" + "i-" + a(80)),
        ("perplexity", "ppl" + "x-" + a(48)),
        ("databricks", "da" + "pi" + h(32)),
        ("digitalocean", "do" + "p_v1_" + h(64)),
        ("shopify", "shp" + "at_" + h(32)),
        ("square", "sq0" + "csp-" + a(43)),
        ("planetscale", "pscale" + "_tkn_" + a(43)),
        ("linear", "lin" + "_api_" + a(40)),
        ("notion", "nt" + "n_" + a(46)),
        ("airtable", "pa" + "t" + a(14) + "." + h(64)),
        ("atlassian", "ATA" + "TT3" + a(60)),
        ("figma", "fig" + "d_" + a(40)),
        ("grafana", "gl" + "sa_" + a(32) + "_" + h(8)),
        ("vault", "hv" + "s." + a(90)),
        ("terraform", a(14) + ".atlas" + "v1." + a(67)),
        ("new relic", "NR" + "AK-" + u(27)),
        ("sentry", "sntry" + "s_" + a(60)),
        ("postman", "PM" + "AK-" + h(24) + "-" + h(34)),
        ("telegram", d(9) + ":" + "AA" + a(33)),
        ("doppler", "dp" + ".pt." + a(43)),
        ("docker", "dckr" + "_pat_" + a(27)),
        ("age", "AGE-SECRET" + "-KEY-1" + u(58)),
        ("rubygems", "ruby" + "gems_" + h(48)),
        ("supabase", "sb" + "p_" + h(40)),
        ("tailscale", "ts" + "key-auth-" + a(17) + "-" + a(32)),
        ("netlify", "nf" + "p_" + a(40)),
        ("pulumi", "pu" + "l-" + h(40)),
        ("langsmith", "ls" + "v2_pt_" + h(32) + "_" + h(10)),
        ("pinecone", "pc" + "sk_" + a(60)),
        ("alibaba", "LT" + "AI" + a(20)),
        ("azure client", a(3) + "8" + "Q~" + a(34)),
        ("artifactory", "AK" + "C" + a(30)),
        ("tavily", "tv" + "ly-dev-" + low(32)),
    ]


_VENDOR_CONTEXTS = (
    "{}",
    "Use {} for this.",
    "curl https://api.example/v1 -H 'X-Thing: {}'",
    '{{"note": "{}"}}',
    "first\n{}\nlast",
)

_TEXT_CONTEXTS = {
    "error message": "Error: password={}",
    "query": "GET https://x.example/?access_token={}&page=2",
    "flow mapping": "env: {{API_KEY: {}}}",
    "value on the next line": "password:\n  {}\n",
    "form": "Login\nPassword\n{}\nSubmit",
    "form with two words": "API key\n{}",
    "yaml": "db:\n  user: ada\n  password: {}\n  port: 5432",
    "yaml block": "secret: |\n  {}\nnext: 1",
    "yaml list entry": "env:\n  - name: SHOP_TOKEN\n    value: {}\n",
    "shell": "export API_KEY={}",
    "shell quoted": "export DB_PASSWORD='{}'",
    "shell inline": "API_TOKEN={} ./deploy.sh",
    "dotenv": "# settings\nDEBUG=1\nSECRET_KEY={}\nPORT=80",
    "powershell": '$env:API_KEY = "{}"',
    "windows": "setx API_KEY {}",
    "dockerfile": "FROM x\nENV API_KEY {}\n",
    "curl user": "curl -u ada:{} https://x.example",
    "curl header": 'curl -H "Authorization: Bearer {}" https://x.example',
    "curl data": "curl -d 'user=ada&password={}' https://x.example",
    "curl json": """curl -d '{{"password": "{}"}}' https://x.example""",
    "header": "GET / HTTP/1.1\nX-Api-Key: {}\nHost: x",
    "authorization token": "Authorization: token {}",
    "authorization digest": "Authorization: Digest {}",
    "cookie": "Cookie: sid={}; theme=dark",
    "set-cookie": "Set-Cookie: session={}; Path=/; HttpOnly",
    "bearer": "sent Bearer {} to the server",
    "postgres": "postgresql://ada:{}@db.example:5432/shop",
    "mongo": "mongodb+srv://ada:{}@cluster0.example/?retryWrites=true",
    "redis": "redis://:{}@localhost:6379/0",
    "amqp": "connect to amqp://guest:{}@mq:5672 failed",
    "url with a password that has an @": "mysql://root:p@{}@db/shop",
    "ado": "Server=db;Database=shop;User Id=sa;Password={};Encrypt=True",
    "odbc": "DRIVER={{x}};SERVER=db;UID=sa;PWD={}",
    "azure storage": "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={}==;EndpointSuffix=core.example",
    "azure bus": "Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey={}=",
    "jdbc": "jdbc:mysql://db/shop?user=ada&password={}",
    "log line": "2025-01-02 10:00:00 INFO login user=ada token={} ip=10.0.0.1",
    "logfmt": 'level=info msg="done" client_secret="{}" ms=5',
    "python repr": "KeyError in {{'api_key': '{}', 'n': 1}}",
    "python bytes": "password=b'{}'",
    "python call": "login(user='ada', password='{}')",
    "python wrapped": "Settings(token=SecretStr('{}'))",
    "python index": 'config["password"] = "{}"',
    "comparison": 'if password == "{}":',
    "tuple": "[('Authorization', '{}'), ('Host', 'x')]",
    "auth tuple": "requests.get(url, auth=('ada', '{}'))",
    "javascript": 'const apiKey = "{}";',
    "ruby": ":password => '{}'",
    "go": 'token := "{}"',
    "toml": '[db]\npassword = "{}"',
    "ini": "[db]\npassword = {}\n",
    "properties": "spring.datasource.password={}",
    "xml": "<user>ada</user><password>{}</password>",
    "xml attribute": '<add key="ApiToken" value="{}"/>',
    "html": '<input name="password" value="{}">',
    "option": "deploy --token {} --verbose",
    "option with an equals sign": "deploy --api-key={}",
    "sshpass": "sshpass -p {} ssh ada@host",
    "mysql": "mysql -u root -p{} shop",
    "netrc": "machine x.example login ada password {}",
    "npmrc": "//registry.example/:_authToken={}",
    "rails form": "user[name]=ada&user[password]={}",
    "sentence": "My password is {}, please log in.",
    "sentence with two words": "The API key is {}.",
    "label": "API key: {}",
    "label with a capital": "Client Secret: {}",
    "escaped json": 'body: {{\\"password\\": \\"{}\\"}}',
    "escaped twice": 'got {{\\\\\\"token\\\\\\": \\\\\\"{}\\\\\\"}}',
    "escaped newline": 'log: \\"a\\"\\npassword={}\\nnext',
    "json lines": '{{"a": 1}}\n{{"password": "{}"}}\n',
    "json cut off": '{{"user": "ada", "password": "{}',
    "list": 'secrets: ["{}", "other"]',
    "german": "Passwort: {}",
    "spanish": "contraseña: {}",
    "russian": "пароль: {}",
    "chinese": "密码:{}",
    "non-ascii around": "Größe: 5, Kennwort = {} und fertig",
    "markdown": "| password | x |\n\n`password: {}`",
    "traceback": 'File "x.py", line 3, in f\n    connect(passwd="{}")\nValueError',
    "db pass": "DB_PASS={}",
    "pg": "PGPASSWORD={} psql -h db",
    "access key id": "aws_access_key_id = {}",
    "confirm": "password_confirmation={}",
    "number in the name": "password2={}",
    "camel case": "dbPassword: {}",
    "glued": "authtoken={}",
    "question mark": "what about token={}?",
    "html entity": "?a=1&amp;token={}&amp;b=2",
}

_KEY_NAMES = (
    *("password", "Password", "DB_PASSWORD", "userPassword", "api_key", "apiKey", "X-Api-Key", "OPENAI_API_KEY"),
    *("accessToken", "refresh_token", "idToken", "client_secret", "clientSecret", "private_key", "signingKey"),
    *("authorization", "Proxy-Authorization", "Set-Cookie", "credentials", "passphrase", "secret_key", "encryptionKey"),
    *("aws_secret_access_key", "sessionToken", "csrf_token", "webhook_secret", "AccountKey", "connection_string"),
    *("smtp_pass", "passwd", "otp", "bearerToken", "jwt_secret", "github_token", "password_hash", "masterKey"),
)


def make_secret_cases() -> list[SecretCase]:
    """Return the secrets, each in a text or JSON value."""
    made = _Generator(20250101)
    cases: list[SecretCase] = []
    for place, (label, key) in enumerate(_vendor_keys(made)):
        context = _VENDOR_CONTEXTS[place % len(_VENDOR_CONTEXTS)]
        text = f"https://hooks.slack.com/services/{key}" if label == "slack webhook" else context.format(key)
        cases.append(SecretCase(f"vendor: {label}", text, key))
    for label, context in _TEXT_CONTEXTS.items():
        secret = made.pick(_ALNUM, 32) if "azure" in label else made.password()
        cases.append(SecretCase(f"text: {label}", context.format(secret), secret))
    for name in _KEY_NAMES:
        secret = made.password()
        cases.append(SecretCase(f"key: {name}", {"a": [{"b": {name: secret}}], "n": 1}, secret))
    return [*cases, *_make_structured_cases(made), *_make_block_cases(made)]


def _make_structured_cases(made: _Generator) -> list[SecretCase]:
    cases: list[SecretCase] = []

    def add(label: str, build: Callable[[str], Any]) -> None:
        secret = made.password()
        cases.append(SecretCase(f"json: {label}", build(secret), secret))

    add("JSON in a string", lambda s: {"body": json.dumps({"password": s})})
    add("JSON in a string in a string", lambda s: {"body": json.dumps({"x": json.dumps({"token": s})})})
    add("three levels", lambda s: {"b": json.dumps([json.dumps([json.dumps({"api_key": s})])])})
    add("list of entries", lambda s: {"env": [{"name": "API_KEY", "value": s}]})
    add("key and value", lambda s: {"settings": [{"key": "db_password", "value": s}]})
    add("pair", lambda s: {"headers": [["Authorization", s], ["Host", "x"]]})
    add("under a list", lambda s: {"passwords": ["x", s]})
    add("under an object", lambda s: {"credentials": {"username": "ada", "value": s}})
    add("default in a schema", lambda s: {"properties": {"token": {"type": "string", "default": s}}})
    add("repeated key", lambda s: f'{{"password": "{s}", "password": 1}}')
    add("non-ascii value", lambda s: {"password": f"ü{s}ß"})
    add("value with quotes", lambda s: {"password": f'"{s}"\\'})
    cases.append(SecretCase("json: short word", {"password": "zpay!"}, "zpay!"))
    cases.append(SecretCase("json: PIN", {"pin": 483920}, "483920"))
    cases.append(SecretCase("json: PIN of a card", {"card_pin": 4839}, "4839"))
    cases.append(SecretCase("json: numeric password", {"password": 90210}, "90210"))
    cases.append(SecretCase("json: one-time password", {"otp": "482913"}, "482913"))
    cases.append(SecretCase("json: number in text", "passcode: 482917", "482917"))
    cases.append(SecretCase("json: uuid as a token", {"token": "0b1f6f0e-5c1d-4f7e-9a53-2b8f6f1f7a11"}, "5c1d-4f7e"))
    return cases


def _make_block_cases(made: _Generator) -> list[SecretCase]:
    cases: list[SecretCase] = []
    for kind in ("RSA ", "EC ", "", "OPENSSH ", "ENCRYPTED "):
        pem = make_pem(made, kind)
        cases.append(SecretCase(f"pem: {kind}", f"key:\n{pem}\nend", pem.split("\n")[3]))
    pem = make_pem(made, newline="\\n")
    cases.append(SecretCase("pem: escaped", f'x = "{pem}"', pem.split("\\n")[3]))
    pem = make_pem(made)
    cases.append(SecretCase("pem: in JSON", {"note": pem}, pem.split("\n")[2]))
    cases.append(SecretCase("pem: cut off", pem[:300], pem.split("\n")[2]))
    cases.append(SecretCase("pem: in a list of lines", json.dumps({"lines": pem})[:-2], pem.split("\n")[4]))
    for label, context in {
        "alone": "{}",
        "in a sentence": "The answer was {}.",
        "in a URL": "https://x.example/cb#id={}&b=1",
        "glued to a word": "session_{}",
        "in a header": "X-Thing: {}",
        "in JSON": '{{"a": "{}"}}',
        "in a list": "[{}, 5]",
    }.items():
        jwt = make_jwt(made)
        cases.append(SecretCase(f"jwt: {label}", context.format(jwt), jwt.split(".")[2]))
    password = made.password()
    basic = base64.b64encode(f"ada:{password}".encode()).decode()
    cases += [
        SecretCase("basic: header", f"Authorization: Basic {basic}", basic),
        SecretCase("basic: in a sentence", f"it sent Basic {basic} and failed", basic),
        SecretCase("basic: in JSON", {"h": f"Basic {basic}"}, basic),
    ]
    key, signature = made.pick(_ALNUM, 30), made.pick(_ALNUM, 43)
    cases += [
        SecretCase("url: key", f"https://maps.example/api?v=3&key={key}", key),
        SecretCase("url: sig", f"https://x.blob.example/a?sv=2022&sig={signature}%3D", signature),
        SecretCase(
            "url: signature", f"https://s3.example/a?X-Amz-Signature={made.pick(_HEX, 0)}{signature}", signature
        ),
        SecretCase("url: token as user", f"git clone https://{key}@git.example/x.git", key),
        SecretCase("url: user and password", f"https://ada:{password}@x.example/", password),
        SecretCase("url: in JSON", {"url": f"https://ada:{password}@x.example/"}, password),
        SecretCase("url: two", f"a://u:{password}@h b://u:{password}@h", password),
    ]
    return cases


_UUID = "123e4567-e89b-12d3-a456-426614174000"
_SHA1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_PUBLIC_KEY = (
    "-----BEGIN PUBLIC KEY-----\n"
    "MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf"
    "\n-----END PUBLIC KEY-----"
)

_PLAIN_TEXTS = (
    "max_tokens: 512",
    "max_tokens=512",
    "maxTokens: 1024",
    "max_output_tokens: 8192",
    "token_count: 17",
    "tokens: 300",
    "total_tokens=55",
    "prompt_tokens: 12, completion_tokens: 40",
    "token_type: bearer",
    "token_type=Bearer",
    "stop_token: </s>",
    "Basic information",
    "Basic information about the order",
    "Basic authentication is used",
    "basic understanding of tokens",
    "Bearer authentication is required",
    "bearer of bad news",
    "Bearer tokens expire",
    "the password policy says 8 characters",
    "The password policy says: change it every year.",
    "Password: must contain at least 8 characters",
    "Password: required",
    "password: optional",
    "password: str",
    "def login(user: str, password: str) -> None:",
    "token: Optional[str] = None",
    "password=None",
    "password: null",
    "token = None",
    "api_key=${API_KEY}",
    "api_key: $API_KEY",
    "password={{ password }}",
    "password=<password>",
    "token: <your token>",
    "password=****",
    'password=os.environ["DB_PASSWORD"]',
    "token=get_token()",
    "api_key = settings.api_key",
    "login(user=user, password=password)",
    "secret: ${{ secrets.DEPLOY }}",
    "secretary: Ada Lovelace",
    "author: Ada",
    "the author: Ada, total = 5",
    "authority=high",
    "keyboard=qwerty",
    "keyboard: mechanical",
    "monkey: capuchin",
    "tokenizer: cl100k_base",
    "tokenizer=gpt2",
    "passwordless: enabled",
    "password_policy: strict",
    "passenger: Ada",
    "passport: yes",
    "compass: north",
    "bypass=1",
    "cookiecutter: template",
    "cookie_policy: accepted",
    "secret_santa: Ada",
    "sort_key: name",
    "primary_key: order_id",
    "primary_key=id",
    "foreign_key: customer_id",
    "cache_key: orders:2024:page1",
    "key: value",
    "key=name",
    "key: ctrl+c",
    "public_key: see below",
    "next_page_token: CAUQAA",
    "nextPageToken=CAUQAA",
    "continuation_token: 17",
    "token_endpoint: https://oauth.example/token",
    "token_uri=https://oauth.example/token",
    "password_reset_url=https://x.example/reset",
    "access_token_expires_in: 3600",
    "token_expires_at: 2025-01-01T00:00:00Z",
    "secret_name: projects/shop/secrets/db",
    f"id: {_UUID}",
    f"session {_UUID} ended",
    f"call_id={_UUID}",
    f"commit {_SHA1}",
    f"sha256:{_SHA256}",
    f"etag: {_SHA1}",
    f"request_id={_UUID}",
    "adk-7c0f0f6e-58b1-4a44-8a8a-0a70a6e0b0f1",
    "call_9Xb2LmQ7",
    "toolu_01A09q90qw90lq917835lq9",
    "call_abc123XYZ789def456",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    f"data:image/png;base64,{_IMAGE}",
    _IMAGE,
    _PUBLIC_KEY,
    _PUBLIC_KEY.replace("PUBLIC KEY", "CERTIFICATE"),
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA ada@host",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1nB ada@host",
    "pk_live_51H8xyzabcdefghijkl",
    "sk-learn is a library",
    "sk-fading-circle-container-element",
    "scikit-learn==1.4.2",
    "https://example.com:8080/path",
    "http://localhost:8000/@scope/package",
    "https://example.com/?page=2&sort=name",
    "https://example.com/?key=name",
    "mailto:ada@example.com",
    "git@github.com:org/repo.git",
    "ssh://git@host:22/repo.git",
    "https://example.com/a?code=404",
    "postgresql://ada@db/shop",
    "see https://docs.example/tokens#max-tokens",
    "a:b@c",
    "ratio 16:9@60Hz",
    "time: 10:30",
    "Order: ORD-0001",
    "order-2024-000123",
    "SKU-201",
    "version: 1.2.3",
    "v2.0.0-rc.1+build.5",
    "python3.11",
    "2025-01-02T10:00:00.000Z",
    "+49 30 1234567",
    "DE89370400440532013000",
    "978-3-16-148410-0",
    "192.168.0.1:8080",
    "fe80::1ff:fe23:4567:890a",
    "AA:BB:CC:DD:EE:FF",
    "rgb(255, 0, 10)",
    "#ff00aa",
    "lorem ipsum dolor sit amet",
    "I forgot my password.",
    "Please reset your password",
    "What is a token?",
    "Tokens are pieces of text.",
    "Your API key has expired.",
    "The secret is patience.",
    "The secret is out",
    "The key is under the mat",
    "password is required",
    "The token is invalid.",
    "the password was wrong",
    "Enter your password:",
    "Enter your password:\nThank you very much",
    "password:\nusername: ada",
    "password:\n\nLogin failed for Ada",
    "Credentials: none needed here",
    "Cookie: we use cookies to improve the site",
    "Authorization: required for all endpoints",
    "Authorization is needed",
    "authorization_endpoint: https://x.example/auth",
    "PWD=/home/ada/work",
    "OLDPWD=/tmp",
    "pwd: /work",
    "gpio_pin: 13",
    "led_pin=5",
    "pin_count: 40",
    "PIN is required",
    "the pass rate: 98%",
    "pass: 12, fail: 0",
    "passed=10",
    "first pass: done",
    "boarding_pass: A12",
    "auth: none",
    "auth=required",
    "auth_type: oauth2",
    "signature: def f(a: int) -> str",
    "thought_signature: CpcBAVSoXO4lQW5zd2Vy",
    "sig: int",
    "design=modern",
    "has_password: true",
    "is_secret=false",
    "use_token: yes",
    "requires_api_key: true",
    "show_password=1",
    "tokens_used: 812",
    "token budget: 4000",
    "--max-tokens 512",
    "--token-limit 100",
    "--password-file /run/secrets/db",
    "--keyboard us",
    "-p 8080",
    "docker run -p 8080:80 nginx",
    "cp -u a b",
    "sudo -u ada: no",
    "ENV PATH /usr/bin",
    "ARG VERSION 1.2",
    "<title>Token</title>",
    "<key>name</key>",
    "<p>Password rules</p>",
    '<input type="password">',
    '<label for="password">Password</label>',
    '["username", "password", "email"]',
    '("token", "type")',
    "columns: user, password, email",
    "SELECT password FROM users",
    "INSERT INTO users (name, password) VALUES (?, ?)",
    "password VARCHAR(255) NOT NULL",
    "secretKeyRef:\n  name: db\n  key: url",
    "Das Passwort ist zu kurz.",
    "La contraseña es obligatoria.",
    "Пароль обязателен",
    "密码不能为空",
    "naïve café résumé",
    "日本語のテキスト",
    "🔑 keys on the table",
    "x = 5; y == 7",
    "a=b&c=d",
    "f(x)=x^2",
    "E=mc^2",
    "1/0 has no result",
    "C:\\Users\\ada\\keys.txt",
    "/etc/ssl/private/readme.txt",
    "requirements.lock",
    "d41d8cd98f00b204e9800998ecf8427e  file.bin",
    "MD5 (a) = 900150983cd24fb0d6963f7d28e17f72",
    "APPLICATION",
    "ACCOUNTS",
    "SKYSCRAPERS AND TOWERS",
    "AIzawl is a city",
    "ghost_writer_of_the_opera_and_other_stories",
    "npm_config_cache=/tmp",
)

_PLAIN_VALUES: tuple[Any, ...] = (
    {"max_tokens": 512},
    {"token_type": "Bearer"},
    {"usage_metadata": {"prompt_token_count": 12, "total_token_count": 30}},
    {"tokens": ["the", "cat", "sat"]},
    {"tokens": 512},
    {"password": None},
    {"token": ""},
    {"has_secret": True},
    {"properties": {"password": {"type": "string", "description": "The password of the user"}}},
    {"type": "OBJECT", "properties": {"api_key": {"type": "STRING", "title": "Api Key"}}, "required": ["api_key"]},
    {"secretary": "Ada"},
    {"author": "Ada"},
    {"keyboard": "qwerty"},
    {"key": "name"},
    {"sort_key": "created_at"},
    {"id": _UUID, "invocation_id": f"e-{_UUID}"},
    {"function_call": {"id": f"adk-{_UUID}", "name": "add", "args": {"a": 1}}},
    {"inline_data": {"mime_type": "image/png", "data": _IMAGE}},
    {"thought_signature": "CpcBAVSoXO4lQW5zd2VyMTIzNDU2Nzg5"},
    {"next_page_token": "CAUQAA"},
    {"token_uri": "https://oauth.example/token"},
    {"password_policy": {"min_length": 8}},
    {"auth_type": "oauth2"},
    {"pin": True},
    {"cookie_consent": "yes"},
    {"commit": _SHA1},
    {"public_key": _PUBLIC_KEY},
    {"password": "${DB_PASSWORD}"},
    {"secret_name": "db"},
    {"private_key_id": _SHA1},
    {"stop_tokens": ["</s>"]},
    {"tool": "login", "arguments": {"user": "ada"}},
    '{"max_tokens": 512, "note": "a"}',
    {"eos_token": "</s>"},
)


def make_plain_values() -> list[Any]:
    """Return values without a secret, most of which look as if they had one."""
    return [*_PLAIN_TEXTS, *_PLAIN_VALUES]
