"""A key in a topic is found whatever stands around it; talk about keys is not."""

import random
import re
import string
import time

import pytest

from gemsearch.core import secrets
from gemsearch.core.secrets import Finding, find_all, find_private, find_secret

ALNUM = string.ascii_letters + string.digits
HEX = string.digits + "abcdef"
BASE64 = ALNUM + "+/"
URL_SAFE = ALNUM + "-_"


def body(alphabet, length, seed=0):
    """Random letters, the same in each run: no key-like literal stands in this file."""
    return "".join(random.Random(f"{alphabet}{length}{seed}").choices(alphabet, k=length))


def bech32(length, seed):
    return body("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", length, seed)


def pem(label, seed):
    lines = [body(BASE64, 64, seed + line) for line in range(3)]
    return f"-----BEGIN {label}----- {' '.join(lines)} -----END {label}-----"


# One key of each kind, put together from pieces. Several where the kind has several shapes.
SAMPLES = {
    "an Anthropic API key": [lambda n: "sk-" + "ant-api03-" + body(URL_SAFE, 93, n) + "AA"],
    "a model provider's API key": [
        lambda n: "sk-" + body(ALNUM, 48, n),
        lambda n: "sk-" + "proj-" + body(URL_SAFE, 120, n),
        lambda n: "sk-" + "or-v1-" + body(HEX, 64, n),
        lambda n: "sk-" + body(HEX, 32, n),
    ],
    "a model or search provider's API key": [
        lambda n: "gsk" + "_" + body(ALNUM, 52, n),
        lambda n: "xai" + "-" + body(ALNUM, 80, n),
        lambda n: "pplx" + "-" + body(ALNUM, 48, n),
        lambda n: "tvly" + "-dev-" + body(ALNUM, 32, n),
        lambda n: "r8" + "_" + body(ALNUM, 37, n),
        lambda n: "nvapi" + "-" + body(URL_SAFE, 64, n),
    ],
    "a GitHub token": [
        lambda n, kind=kind: f"gh{kind}" + "_" + body(ALNUM, 36, n) for kind in "pousr"
    ],
    "a GitHub fine-grained token": [
        lambda n: "github" + "_pat_11" + body(ALNUM, 20, n) + "_" + body(ALNUM, 59, n)
    ],
    "a GitLab token": [lambda n: "glpat" + "-" + body(URL_SAFE, 20, n)],
    "an AWS access key id": [
        lambda n: "AK" + "IA" + body(string.ascii_uppercase + "234567", 16, n),
        lambda n: "AS" + "IA" + body(string.ascii_uppercase + "234567", 16, n),
    ],
    "an AWS secret key": [
        lambda n: "aws_secret" + "_access_key = " + body(BASE64, 40, n),
        lambda n: '"SecretAccess' + 'Key": "' + body(BASE64, 40, n) + '"',
    ],
    "a Google API key": [lambda n: "AI" + "za" + body(URL_SAFE, 35, n)],
    "a Google client secret": [lambda n: "GOC" + "SPX-" + body(URL_SAFE, 28, n)],
    "a Google access token": [lambda n: "ya" + "29." + body(URL_SAFE, 150, n)],
    "a Slack token": [
        lambda n: "xo" + f"xb-{body(string.digits, 12, n)}-{body(ALNUM, 24, n)}",
        lambda n: "xa" + f"pp-1-A{body(ALNUM, 10, n)}-{body(HEX, 64, n)}",
    ],
    "a Slack webhook": [
        lambda n: (
            "https://hooks.slack" + f".com/services/T{body(ALNUM, 9, n).upper()}"
            f"/B{body(ALNUM, 9, n).upper()}/{body(ALNUM, 24, n)}"
        )
    ],
    "a Discord webhook": [
        lambda n: (
            f"https://discord.com/api/webhooks/{body(string.digits, 18, n)}/{body(URL_SAFE, 68, n)}"
        )
    ],
    "a Discord bot token": [
        lambda n: f"M{body(ALNUM, 25, n)}" + f".{body(ALNUM, 6, n)}" + f".{body(URL_SAFE, 38, n)}"
    ],
    "a Telegram bot token": [
        lambda n: f"5{body(string.digits, 8, n)}:A" + "A" + body(ALNUM, 33, n)
    ],
    "a Hugging Face token": [
        lambda n: "h" + "f_" + body(ALNUM, 34, n),
        lambda n: "h" + "f_" + body(string.ascii_letters, 34, n),
    ],
    "an npm token": [lambda n: "np" + "m_" + body(ALNUM, 36, n)],
    "a PyPI token": [lambda n: "py" + "pi-AgEIcHlwaS5vcmc" + body(URL_SAFE, 120, n)],
    "a Docker Hub token": [lambda n: "dckr" + "_pat_" + body(URL_SAFE, 27, n)],
    "a Stripe key": [
        lambda n: "sk" + "_live_" + body(ALNUM, 24, n),
        lambda n: "rk" + "_test_" + body(ALNUM, 99, n),
        lambda n: "wh" + "sec_" + body(ALNUM, 32, n),
    ],
    "a Shopify or Square token": [
        lambda n: "shp" + "at_" + body(HEX, 32, n),
        lambda n: "sq0" + "csp-" + body(URL_SAFE, 43, n),
    ],
    "a SendGrid key": [lambda n: "S" + "G." + body(URL_SAFE, 22, n) + "." + body(URL_SAFE, 43, n)],
    "a Twilio key": [
        lambda n: "S" + "K" + body(HEX, 32, n),
        lambda n: "A" + "C" + body(HEX, 32, n),
    ],
    "a Mailgun key": [lambda n: "ke" + "y-" + body(HEX, 32, n)],
    "a DigitalOcean token": [lambda n: "dop" + "_v1_" + body(HEX, 64, n)],
    "a Databricks token": [lambda n: "da" + "pi" + body(HEX, 32, n)],
    "a HashiCorp token": [
        lambda n: "hv" + "s." + body(URL_SAFE, 90, n),
        lambda n: body(ALNUM, 14, n) + ".atlas" + "v1." + body(ALNUM, 64, n),
    ],
    "a Grafana or New Relic key": [
        lambda n: "gl" + "sa_" + body(ALNUM, 32, n) + "_" + body(HEX, 8, n),
        lambda n: "NR" + "AK-" + body(string.ascii_uppercase + string.digits, 27, n),
    ],
    "a Notion, Linear or Atlassian token": [
        lambda n: "nt" + "n_" + body(ALNUM, 46, n),
        lambda n: "lin" + "_api_" + body(ALNUM, 40, n),
        lambda n: "ATA" + "TT3xFfGF0" + body(URL_SAFE, 170, n),
    ],
    "a Supabase, Netlify or PlanetScale token": [
        lambda n: "sb" + "p_" + body(HEX, 40, n),
        lambda n: "nf" + "p_" + body(ALNUM, 40, n),
        lambda n: "pscale" + "_pw_" + body(URL_SAFE, 43, n),
    ],
    "an Azure storage key": [lambda n: "Account" + "Key=" + body(BASE64, 86, n) + "=="],
    "an age secret key": [lambda n: "AGE-SECRET" + "-KEY-1" + bech32(58, n)],
    "a private key": [
        lambda n: pem("RSA " + "PRIVATE KEY", n),
        lambda n: pem("OPENSSH " + "PRIVATE KEY", n),
        lambda n: pem("PRIVATE" + " KEY", n).replace(" M", "\\nM"),
        lambda n: pem("PGP PRIVATE" + " KEY BLOCK", n).replace("----- ", "----- Version: GnuPG 2 "),
        lambda n: pem("EC " + "PRIVATE KEY", n).replace(
            "----- ", "----- Proc-Type: 4,ENCRYPTED DEK-Info: AES-128-CBC,0A1B ", 1
        ),
    ],
    "a JSON Web Token": [
        lambda n: (
            "ey" + f"J{body(ALNUM, 33, n)}.ey" + f"J{body(URL_SAFE, 80, n)}.{body(URL_SAFE, 43, n)}"
        )
    ],
    "a bearer token": [
        lambda n: "Authorization: Bearer " + body(URL_SAFE, 40, n),
        lambda n: "bearer " + body(HEX, 32, n),
    ],
    "a user name and password": [lambda n: "Authorization: Basic " + body(BASE64, 28, n) + "=="],
    "a password in a URL": [
        lambda n: "postgres://" + f"app:{body(ALNUM, 9, n)}7q@db.acme.com:5432/main",
        lambda n: "redis://" + f":{body(ALNUM, 9, n)}7q@10.1.2.3",
        lambda n: "https://" + f"build:{body(ALNUM, 9, n)}7q@git.acme.com/x.git",
    ],
    "a user name and password on a command line": [
        lambda n: "curl https://acme.com -u " + f"admin:{body(ALNUM, 18, n)}",
        lambda n: "curl https://acme.com --user " + f"admin:{body(ALNUM, 18, n)}",
    ],
    "a signed URL or a URL with a key": [
        lambda n: "https://acme.com/a?X-Amz-" + "Signature=" + body(HEX, 64, n),
        lambda n: "https://acme.com/a?sv=1&si" + "g=" + body(ALNUM, 43, n) + "%3D",
        lambda n: "https://acme.com/back?co" + "de=" + body(URL_SAFE, 40, n),
        lambda n: "https://acme.com/maps?ke" + "y=" + body(ALNUM, 32, n) + "&z=1",
    ],
    "a password or token": [
        lambda n: "DB_PASS" + "WORD=" + body(ALNUM, 20, n),
        lambda n: "pass" + 'word: "' + body(ALNUM, 14, n) + '!9b"',
        lambda n: "Server=tcp:x.acme.com;P" + "wd=" + body(ALNUM, 20, n) + ";Encrypt=yes",
        lambda n: "api" + "_key := '" + body(HEX, 32, n) + "'",
        lambda n: "cli --tok" + "en " + body(ALNUM, 24, n),
        lambda n: '{"client' + '_secret": "' + body(ALNUM, 30, n) + '"}',
    ],
}

# A broken bar stands in what scanners of this file would take for a key; it goes at run time.
BAR = "¦"

# Talk about each kind, as near to a match as people write.
TALK = {
    "an Anthropic API key": "what is sk-ant-api03 prefix, sk-ant-your-key-here, sk-ant-xxxxxxxxxx",
    "a model provider's API key": "sk-learn-contrib, sk-spinner-circle-fade-rotating-dots, sk-proj",
    "a model or search provider's API key": "gsk_ prefix, xai-org grok-prompts, pplx-api-reference",
    "a GitHub token": "ghp_xxxxxxxx¦xxxxxxxxxxxxxxxxxxxxxxxxxxxx and gho_ versus ghs_ prefixes",
    "a GitHub fine-grained token": "github_pat_YOUR_TOKEN_GOES_HERE_AND_NOWHERE_ELSE scopes",
    "a GitLab token": "glpat-your-access-token-here, glpat- prefix setting for self-managed",
    "an AWS access key id": "how to rotate AKIA keys, AKIAIOSFODNN7¦EXAMPLE, asiapacificeconomics",
    "an AWS secret key": "aws_secret_access_key = YOUR_SECRET, aws secret access key in boto3",
    "a Google API key": "AIza prefix meaning, AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "a Google client secret": "GOCSPX- prefix, GOCSPX-your-client-secret-goes-here",
    "a Google access token": "ya29. access token lifetime",
    "a Slack token": "xoxb- versus xoxp- tokens, xoxb-your-token-here-please-now",
    "a Slack webhook": "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "a Discord webhook": "discord.com/api/webhooks/{webhook.id}/{webhook.token} execute",
    "a Discord bot token": "org.springframework.boot.autoconfigure.condition.OnBeanCondition",
    "a Telegram bot token": "telegram 123456789:AA-your-token-from-botfather bot token format",
    "a Hugging Face token": "hf_hub_download versus hf_transfer, HF_HUB_ENABLE_HF_TRANSFER",
    "an npm token": "npm_config_registry, npm_package_version, npm_lifecycle_event",
    "a PyPI token": "pypi-attestations, pypi-publish action, pypi-AgEIcHlwaS5vcmc prefix",
    "a Docker Hub token": "dckr_pat_ prefix",
    "a Stripe key": "sk_test_ versus sk_live_ versus whsec_ in stripe cli",
    "a Shopify or Square token": "shpat_ access scopes, sq0csp- sandbox",
    "a SendGrid key": "msg.value.sender.balance, SG. api key format",
    "a Twilio key": "AC" + "x" * 32 + " account sid, v8.html#ac673576f24fdc7a33378f8f57e1d13a4",
    "a Mailgun key": "key-value-store, key-exchange-algorithms, mailgun key-xxxxxxxx",
    "a DigitalOcean token": "dop_v1_ prefix revoke",
    "a Databricks token": "dapi personal access token databricks",
    "a HashiCorp token": "hvs. batch versus service tokens, atlasv1 format",
    "a Grafana or New Relic key": "glsa_ service account, NRAK- user key",
    "a Notion, Linear or Atlassian token": "ntn_ prefix, lin_api_ scopes, ATATT3xFfGF0 expiry",
    "a Supabase, Netlify or PlanetScale token": "sbp_ management api, pscale_tkn_ service",
    "an Azure storage key": "AccountKey=<your-account-key>;EndpointSuffix=core.windows.net",
    "an age secret key": "AGE-SECRET-KEY-1 bech32 format, rage versus age-plugin-yubikey",
    "a private key": "-----BEG¦IN RSA PRIVATE KEY----- versus -----BEG¦IN PRIVATE KEY----- pkcs8",
    "a JSON Web Token": "why do JWTs start with eyJ, eyJhbGciOiJIUzI1NiJ9 header",
    "a bearer token": "bearer token-authentication-header, Authorization: Bearer YOUR_ACCESS_TOKEN",
    "a user name and password": "Authorization: Basic base64(user:password) header",
    "a password in a URL": "postgres://user:password@localhost, amqp://guest:guest@rabbitmq:5672"
    " https://user:$TOKEN@github.com docker://nginx:1.25.3-alpine@sha256:e3b0",
    "a user name and password on a command line": "docker run -u 1000:1000, curl -u user:password",
    "a signed URL or a URL with a key": "?key=value&code=authorization-code-grant-type &sig=abc",
    "a password or token": "password= in url query string docs, token: expired, secret=changeme"
    " api_key=OPENAI_API_KEY, token=settings.GITHUB_TOKEN, --password-stdin, token: C++17/C++20",
}

# What agents search for, with as many near misses as fit.
BENIGN = """
gitleaks pre-commit hook
gitleaks hook for secrets
how to rotate AKIA keys
what is sk-ant prefix
password= in url query string docs
bearer token authentication header
detect-secrets versus trufflehog false positives
AWS access key id format 20 characters AKIA ASIA
ghp_ token prefix github secret scanning
github_pat_ fine-grained personal access token permissions
github actions secrets.GITHUB_TOKEN permissions: contents: write
xoxb slack bot token scopes
hf_transfer slow download
hf_hub_download cache_dir local_dir difference
npm_config_registry environment variable precedence
NPM_TOKEN _authToken=${NPM_TOKEN} .npmrc ci
//registry.example.org/:_authToken=${NPM_TOKEN}
pypi trusted publishing oidc instead of api token
twine upload --password-stdin alternative
docker login --password-stdin
docker login --username AWS --password-stdin
kubectl create secret generic --from-literal=password=changeme
kubernetes secret type: kubernetes.io/service-account-token
kubernetes imagePullSecrets type: kubernetes.io/dockerconfigjson
sealed secrets vs external-secrets operator
sops age key .sops.yaml creation_rules
age-plugin-yubikey AGE-PLUGIN identity
chezmoi encryption age versus gpg
jwt HS256 vs RS256 header.payload.signature
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 decode header
JWT alg none vulnerability
SyntaxError: Unexpected token: 'export'
SyntaxError: Unexpected token < in JSON at position 0
Unexpected token: punc ( uglifyjs
invalid token: authentication required docker registry
error: password authentication failed for user "postgres"
FATAL: password authentication failed for user
mysql ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
postgres://user:password@localhost:5432/dbname format
postgresql://postgres:postgres@localhost/postgres sqlalchemy
mongodb+srv://<username>:<password>@cluster0.mongodb.net connection string
amqp://guest:guest@localhost:5672/ default credentials
redis://:password@host:6379/0 url scheme
redis://localhost:6379 celery broker_url
https://x-access-token:${GITHUB_TOKEN}@github.com clone
git clone https://oauth2:TOKEN@gitlab.com private repository
git clone git@github.com:org/repo.git permission denied (publickey)
curl -u user:password basic auth
curl -H "Authorization: Bearer $TOKEN"
curl -H "Authorization: token YOUR-TOKEN" github api
Authorization: Basic base64 username:password
WWW-Authenticate: Bearer error="invalid_token"
oauth2 authorization code flow with PKCE code_verifier
oauth redirect_uri?code=AUTHORIZATION_CODE&state=xyz
google oauth access_type=offline refresh_token null
?key=YOUR_API_KEY google maps javascript
X-Amz-Signature presigned url expired
X-Amz-Algorithm=AWS4-HMAC-SHA256 canonical request
aws s3 presign --expires-in maximum
aws sts assume-role session token duration
aws_secret_access_key environment variable boto3 precedence
AWS_SESSION_TOKEN required with ASIA keys
azure storage AccountKey connection string rotate
DefaultEndpointsProtocol=https;AccountName=name;AccountKey=key
azure sas token sig parameter signature did not match
gcloud application-default credentials json location
GOOGLE_APPLICATION_CREDENTIALS=/path/to/key.json
-----BEG¦IN RSA PRIVATE KEY----- vs -----BEG¦IN PRIVATE KEY-----
-----BEG¦IN OPENSSH PRIVATE KEY----- convert to pem
convert openssh private key to PEM ssh-keygen -p -m PEM
ssh-rsa AAAAB3NzaC1yc2E prefix meaning
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA fixed prefix
MIIEvQIBADANBgkqhkiG9w0BAQEFAASC pkcs8 header
gpg --export-secret-keys --armor
openssl genrsa 4096 vs openssl genpkey
openssl rand -base64 32 password generation
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 empty digest
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
d41d8cd98f00b204e9800998ecf8427e md5 of empty string
git commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 empty tree
uuid 123e4567-e89b-12d3-a456-426614174000 version
nil uuid 00000000-0000-0000-0000-000000000000
CVE-2021-44228 log4shell jndi
CVE-2024-3094 xz backdoor timeline
GHSA-364c-vvqx-446c croc file name
python secrets.token_urlsafe vs uuid4
python hmac.compare_digest timing attack
django SECRET_KEY rotation SECRET_KEY_FALLBACKS
django-insecure- secret key prefix meaning
flask app.secret_key = os.urandom(24)
rails credentials.yml.enc master.key missing
rails secret_key_base production
laravel APP_KEY=base64: php artisan key:generate
spring.datasource.password=${DB_PASSWORD} encrypt jasypt
spring.security.oauth2.client.registration.google.client-secret
terraform sensitive = true variable output
terraform cloud token .terraformrc credentials "app.terraform.io"
hashicorp vault token=hvs. prefix batch tokens
vault kv get -field=password secret/myapp
ansible-vault encrypt_string --stdin-name
ansible no_log: true password prompt
pass password store git sync conflict
1password cli op://vault/item/password reference syntax
bitwarden cli --session BW_SESSION
keyring backend headless linux
macos security find-generic-password -w
windows credential manager cmdkey /pass:
powershell ConvertTo-SecureString -AsPlainText -Force
PGPASSWORD environment variable pg_dump .pgpass
mysql --password= warning using a password on the command line
mysql -u root -p docker exec
sqlcmd -U sa -P trust server certificate
sshpass -p alternatives
rsync --password-file permissions
htpasswd bcrypt -B -n
/etc/shadow $6$ hash format rounds
bcrypt $2b$12$ cost factor
argon2id parameters m=65536,t=3,p=4
$argon2id$v=19$m=65536,t=3,p=4
totp otpauth://totp/Example:alice@google.com?secret=JBSWY3DP¦EHPK3PXP&issuer=Example
webauthn passkey resident key vs non-resident
FIDO2 hmac-secret extension systemd-cryptenroll
stripe webhook signature verification whsec_
stripe sk_test_ vs pk_test_ keys
twilio auth token rotation secondary
sendgrid api key SG. prefix length
telegram bot token format 123456:ABC-DEF
discord webhook rate limit /api/webhooks
discord bot token leaked regenerate
slack incoming webhook hooks.slack.com block kit
openai api key sk-proj vs sk- legacy
anthropic api key environment variable ANTHROPIC_API_KEY
export OPENAI_API_KEY=your-key-here zsh
OPENAI_API_KEY=sk-... not found dotenv
api_key=os.environ["OPENAI_API_KEY"]
client = OpenAI(api_key=os.getenv("OPENAI_API_KEY"))
tavily vs brave search api key pricing
searxng json format secret_key: "ultrasecretkey"
datasette --secret DATASETTE_SECRET signed cookies
datasette-auth-tokens token: pattern
sqlite-utils --functions password
litestream access-key-id secret-access-key config
rclone config password obscure
restic --password-command
borg BORG_PASSPHRASE vs BORG_PASSCOMMAND
csrf token: double submit cookie pattern
csrftoken cookie SameSite=Lax django
set-cookie: sessionid=; HttpOnly; Secure; SameSite=None
PHPSESSID session fixation
JSESSIONID cookie path=/
cors preflight authorization header
graphql token: Bearer apollo link
refresh token rotation reuse detection
token bucket vs leaky bucket rate limiting
tokenization byte pair encoding tiktoken cl100k_base
token: max_tokens=4096 context length error
secret sharing shamir k=3 n=5
key=lambda x: x[1] sorted python
sort keys: locale=de_DE.UTF-8 LC_COLLATE
primary key: bigint vs uuid postgres 16
foreign key: on delete cascade sqlite
key: value yaml anchors merge <<
access key: html accesskey attribute
react key= warning each child in a list
key-value-store-benchmark-2024-results
keycloak client-secret rotation policy
keycloak token-exchange preview feature
sk-learn pipeline ColumnTransformer
scikit-learn sk-dist parallel
css .sk-fading-circle .sk-circle12 spinkit
task-runner-comparison just vs make vs taskfile
risk-assessment-framework-nist-sp-800-53-rev5
disk-encryption-luks2-argon2id-header-backup
flask-sqlalchemy-lite-async-session
musk-ox habitat
asia pacific internet exchange points
ASIA-PACIFIC region availability ap-southeast-2
asiapacificeconomiccooperation summit
io_uring zero-copy networking internals
named-pipe SSH multiplexing internals
SONiC dataplane deep-dive
human factors progressive disclosure discoverability command palettes
feature flags configuration progressive disclosure extension UI
git absorb vs git commit --fixup
git config --global url."ssh://git@github.com/".insteadOf https://github.com/
git credential.helper=store plaintext
git-credential-manager wsl2 interop
GIT_ASKPASS=echo git clone https
.netrc machine api.github.com login password
pip install --index-url https://user:pass@host/simple
pip install git+https://github.com/psf/requests.git@v2.31.0#egg=requests
poetry config http-basic.private username password
uv publish --token pypi
cargo login token ~/.cargo/credentials.toml
go env GOPRIVATE GONOSUMDB private modules
go.sum h1:hash= mismatch
integrity sha512-base64== subresource lockfile
npm ERR! code EINTEGRITY sha512 integrity checksum failed
package-lock.json "resolved": "https://registry.example.org/lodash/-/lodash-4.17.21.tgz"
docker image nginx:1.25.3-alpine@sha256 digest pinning
docker://ghcr.io/org/image:1.2.3-rc4@sha256:abc skopeo inspect
helm --set postgresql.auth.password=changeme
helm secrets plugin vals ref+vault://
kubeadm join --token --discovery-token-ca-cert-hash sha256:
kubeadm token create --print-join-command
k3s K3S_TOKEN node-token path
wireguard PrivateKey = PresharedKey = config
wg genkey | tee privatekey | wg pubkey
tailscale --authkey=tskey-auth- reusable ephemeral
cloudflare tunnel token vs credentials-file
cloudflare api token: zone:dns:edit permission
letsencrypt dns-01 TXT _acme-challenge
traefik acme.json permissions 600
nginx auth_basic_user_file htpasswd
nginx proxy_set_header Authorization "Basic
apache AuthType Basic AuthName
basic internationalization guide
basic cryptocurrency2024explained
saml assertion signature wrapping
ldap bind_dn cn=admin,dc=example,dc=org
ldapsearch -x -D cn=admin -W
kerberos keytab kvno mismatch
samba smbpasswd -a credentials=/etc/samba/creds
mount.cifs username= password= domain= options
wpa_supplicant psk= network={ ssid="home" }
wpa_passphrase ssid passphrase output psk
nmcli wifi connect password
android keystore storePassword keyPassword signingConfigs gradle
signingConfig storePassword System.getenv("STORE_PASSWORD")
ios keychain kSecAttrAccessibleAfterFirstUnlock
java keytool -storepass changeit default
cacerts default password changeit
jenkins withCredentials usernamePassword(credentialsId: 'nexus-deployer')
gitlab ci CI_JOB_TOKEN: allowlist
gitlab glpat- prefix personal access token
circleci context CIRCLE_TOKEN
github app installation token ghs_ expiry 1 hour
renovate hostRules token: encrypted
dependabot registries password: ${{secrets.MY_ARTIFACTORY_PASSWORD}}
password: ${{ secrets.DOCKERHUB_TOKEN }}
secret scanning push protection bypass reasons
semgrep rule hardcoded-password-default-argument
bandit B105 hardcoded_password_string
bandit B106:hardcoded_password_funcarg
eslint-plugin-no-secrets tolerance
owasp password storage cheat sheet pbkdf2 iterations 600000
nist 800-63b password length 8 64 characters
have i been pwned k-anonymity range api
password=hunter2 meme origin
correct horse battery staple password: entropy
diceware passphrase: six words bits
rainbow table ntlm hash 31d6cfe0d16ae931b73c59d7e0c089c0
aad3b435b51404eeaad3b435b51404ee empty lm hash
ethereum 0x0000000000000000000000000000000000000000 zero address
bitcoin genesis block 000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f
1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa genesis address
ipfs QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG readme
youtube.com/watch?v=dQw4w9WgXcQ
https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit
arxiv.org/abs/2305.10601v2 tree of thoughts
doi.org/10.1145/3292500.3330701
https://stackoverflow.com/questions/46643667/access-key-secret-key?noredirect=1#comment80246105_46643667
https://www.amazon.com/dp/B08N5WRWNW?th=1&psc=1
org.springframework.security.oauth2.client.registration.ClientRegistrationRepository
com.fasterxml.jackson.databind.exc.InvalidDefinitionException: No serializer found
java.lang.NoSuchMethodError: org.apache.commons.codec.binary.Base64.encodeBase64URLSafeString
System.IdentityModel.Tokens.Jwt.JwtSecurityTokenHandler ValidateToken
-[NSURLSession dataTaskWithRequest:completionHandler:] authorization
std::unordered_map<std::string,std::vector<uint8_t>> hash
_ZNSt6vectorIiSaIiEE9push_backERKi demangle
0xC0000005 access violation windows
HRESULT 0x80070005 E_ACCESSDENIED
x86_64-unknown-linux-musl-gcc cross compile openssl-sys
manylinux_2_17_x86_64.manylinux2014_x86_64 wheel tag
SOURCE_DATE_EPOCH=1700000000 reproducible builds
TZ=America/New_York date --date=@1700000000
LC_ALL=C.UTF-8 LANG=en_US.UTF-8
--user=1000:1000 docker compose user: "1000:1000"
docker run -u $(id -u):$(id -g)
chown -R www-data:www-data /var/www
rsync -avz user@host:/path
ssh -i ~/.ssh/id_ed25519 -o IdentitiesOnly=yes
ssh user@192.168.1.10 connection refused
user@example.com regex validation
mailto:user@example.com?subject=Hello%20World
alertmanager slack_api_url: hooks
prometheus bearer_token_file: /var/run/secrets/kubernetes.io/serviceaccount/token
/var/run/secrets/kubernetes.io/serviceaccount/token projected
openapi securitySchemes: bearerAuth: type: http scheme: bearer bearerFormat: JWT
openapi apiKey in: header name: X-API-KEY
X-API-Key: header naming convention
x-api-key vs authorization: apikey
postman {{access_token}} environment variable
httpie --auth-type=bearer --auth=token
wget --header="Authorization: Bearer ${TOKEN}"
fetch headers: { Authorization: `Bearer ${token}` }
axios.defaults.headers.common['Authorization'] = 'Bearer ' + token
requests.get(url, auth=("user", "pass"))
requests.get(url, headers={"Authorization": f"Bearer {token}"})
passport-jwt ExtractJwt.fromAuthHeaderAsBearerToken()
next-auth NEXTAUTH_SECRET= generate
supabase anon key vs service_role key
firebase apiKey public safe to expose
pscale_tkn_ planetscale service token
sbp_ supabase personal access token prefix
passwordless login magic link token=
forgot password ?token=<reset-token> expiry
reset-password?token=:token express route
übergabe passwort= parameter sicherheit
пароль= в url безопасность
密码=加密 存储 最佳实践
"""

BENIGN_TOPICS = BENIGN.replace(BAR, "").strip().splitlines()


def rows():
    return [
        pytest.param(row, build, id=f"{row.kind}-{number}")
        for row in secrets.SECRETS
        for number, build in enumerate(SAMPLES[row.kind])
    ]


every_shape = pytest.mark.parametrize(("row", "build"), rows())
every_kind = pytest.mark.parametrize("row", secrets.SECRETS, ids=lambda row: row.kind)


def test_each_kind_has_a_sample_and_talk_about_it():
    kinds = [row.kind for row in secrets.SECRETS]
    assert len(kinds) == len(set(kinds))
    assert set(SAMPLES) == set(TALK) == set(kinds)


@every_shape
def test_a_secret_is_found_alone_and_named(row, build):
    assert find_secret(build(1)) is not None
    assert row.kind in [found.kind for found in secrets._matches(row, build(1))]


@every_shape
def test_atuin_1326_a_pattern_finds_its_sample_embedded_in_text(row, build):
    for around in (
        "why does {} fail",
        "({})",
        '"{}"',
        "x, {}; y",
        "`{}`",
        "[{}](docs)",
        "日本{}語",
    ):
        text = around.format(build(2))
        assert find_secret(text) is not None, around
        assert any(secrets._matches(row, text)), around


@every_shape
def test_nearly_every_random_secret_is_found(row, build):
    found = [find_secret(f"curl {build(seed)} fails") for seed in range(100, 160)]
    assert found.count(None) <= 2


@every_shape
def test_a_secret_typed_in_capitals_or_small_letters_is_found(row, build):
    missed = [
        text
        for seed in range(100, 120)
        for text in (build(seed).upper(), build(seed).lower())
        if find_secret(text) is None
    ]
    # Without its letter case a bare value of few digits may be a word; a prefix still tells.
    assert len(missed) <= 8, missed


@every_shape
def test_a_secret_with_a_letter_lost_or_doubled_is_found(row, build):
    texts = [build(seed) for seed in range(100, 120)]
    places = [len(text) * 2 // 3 for text in texts]
    shorter = [text[:at] + text[at + 1 :] for text, at in zip(texts, places, strict=True)]
    longer = [text[:at] + text[at] + text[at:] for text, at in zip(texts, places, strict=True)]
    assert list(map(find_secret, shorter + longer)).count(None) <= 4


@every_kind
def test_talk_about_a_kind_of_secret_passes(row):
    assert find_secret(TALK[row.kind].replace(BAR, "")) is None


def test_no_benign_topic_is_refused():
    assert len(set(BENIGN_TOPICS)) >= 200
    refused = [(text, found) for text in BENIGN_TOPICS if (found := find_secret(text))]
    assert refused == []


def test_entireio_cli_471_a_benign_page_of_all_topics_stays_untouched():
    assert find_all("\n".join(BENIGN_TOPICS)) == []


def test_atuin_2932_a_secret_is_found_by_what_it_is_and_not_by_a_variable_name():
    assert find_secret("x = " + SAMPLES["a GitHub token"][0](3)) is not None
    assert find_secret("GITHUB_TOKEN is not set") is None


def test_a_finding_marks_the_secret_itself():
    key = SAMPLES["a GitHub token"][0](4)
    text = f"clone with {key} over https"
    assert find_secret(text) == Finding("a GitHub token", 11, 11 + len(key))


def test_a_specific_kind_wins_over_a_general_one_at_the_same_place():
    key = SAMPLES["a GitHub token"][0](4)
    assert [found.kind for found in find_all(f"token={key}")] == ["a GitHub token"]


def test_all_findings_come_in_the_order_of_the_text_and_apart():
    first, second = SAMPLES["an npm token"][0](5), SAMPLES["an Anthropic API key"][0](5)
    text = f"{first} then {second} then token={first}"
    found = find_all(text)
    assert [text[one.start : one.end] for one in found] == [first, second, first]


@every_kind
def test_no_pattern_takes_long_on_100_kb_of_its_own_hints(row):
    fragments = {*row.hints, SAMPLES[row.kind][0](1)[:30], "a", "a.", "=", "a ", "a1B-", "a:", "-"}
    for fragment in fragments:
        text = "".join([row.hints[0], fragment * (100_000 // len(fragment))])
        started = time.perf_counter()
        list(secrets._matches(row, text))
        assert time.perf_counter() - started < 2, (row.kind, fragment)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "a=" * 50_000,
        "password=" * 11_000,
        "://a:" * 20_000,
        "://:a@" * 16_000,
        "-----BEG¦IN PRIVATE KEY-----" * 3_700,
        "-----BEG¦IN PRIVATE KEY----- Version " * 2_700,
        "eyJaaaaaaaa." * 8_000,
        "?key=" * 20_000,
        "Bearer " * 14_000,
        "\udc80=\x00" * 30_000,
        "aA1" * 33_000,
        "sk-" * 33_000,
    ],
    ids=lambda text: text[:20].encode("unicode_escape").decode(),
)
def test_100_kb_of_bait_is_judged_quickly(text):
    text = text.replace(BAR, "")
    started = time.perf_counter()
    find_secret(text)
    find_all(text)
    find_private(text)
    assert time.perf_counter() - started < 5


def test_a_few_short_words_compile_no_expression():
    secrets._compiled.cache_clear()
    for topic in ("gitleaks pre-commit hook", "what is sk-ant prefix", "how to rotate AKIA keys"):
        assert find_secret(topic) is None
    assert secrets._compiled.cache_info().currsize == 0


PRIVATE_SAMPLES = {
    "an e-mail address": ["jane.doe+x@acme.co.uk", "mail to <j_d@mail.acme.io>"],
    "a home directory": [
        "/home/jdoe/notes.md",
        "open /Users/jane.doe/Library",
        r"C:\Users\jdoe\AppData",
        r"c:\\Users\\jdoe",
        "file:///home/jdoe",
    ],
    "a private network address": [
        "10.20.30.40",
        "ssh 192.168.7.12:22",
        "172.16.4.9",
        "172.31.255.1",
        "fd12:3456:789a:1::1",
        "fe80::1ff:fe23:4567:890a",
    ],
    "an internal host name": [
        "wiki.acme.corp",
        "https://git.acme.internal/x",
        "nas-2.local",
        "https://wiki.local/x",
        "ip-10-2-3-4.ec2.internal",
        "printer.lan.",
    ],
    "a hardware address": ["3c:22:fb:0a:9d:51", "3C-22-FB-0A-9D-51"],
}

PUBLIC = [
    "git@github.com:org/repo.git",
    "user@example.com",
    "you@mail.example.org",
    "@types/node@18.0.0",
    "actions/checkout@v4.1.0",
    "https://acme.com/home/pricing",
    "GET /users/42/posts",
    "/home/user/.config",
    "/Users/runner/work",
    "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 difference",
    "192.168.1.1 router login",
    "windows 10.0.19041.1 build",
    "172.15.0.9 and 172.32.0.9",
    "1.10.20.30.40",
    "fd00::/8 unique local addresses",
    "fc-cache -fv",
    "host.docker.internal linux",
    "svc.cluster.local dns",
    ".env.local vite",
    "settings.local.json",
    "jdk.internal.misc.Unsafe",
    "threading.local python",
    "/home/user1/app",
    "localhost:8080",
    "00:00:00:00:00:00",
    "aa:bb:cc:dd:ee:ff mac format",
    "12:34:56 time format",
    "2024-05-11-12-30-45",
]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in PRIVATE_SAMPLES.items() for text in texts]
)
def test_private_data_is_found_alone_and_within_text(kind, text):
    for topic in (text, f"why is {text} slow", f"({text})", f"see {text}, please"):
        found = find_private(topic)
        assert found is not None
        assert found.kind == kind


def test_each_private_kind_has_a_sample():
    assert set(PRIVATE_SAMPLES) == {row.kind for row in secrets.PRIVATE}


@pytest.mark.parametrize("text", PUBLIC)
def test_names_that_stand_for_anybody_are_not_private(text):
    assert find_private(text) is None


def test_private_data_is_no_secret():
    texts = [text for texts in PRIVATE_SAMPLES.values() for text in texts]
    assert [text for text in texts if find_secret(text)] == []


@pytest.mark.parametrize("row", secrets.PRIVATE, ids=lambda row: row.kind)
def test_no_private_pattern_takes_long_on_100_kb(row):
    for fragment in (*row.hints, "a", "a.", "a@", "a-", "1.", "10.", "aa:", "fd00:", "/home/a"):
        started = time.perf_counter()
        list(secrets._matches(row, row.hints[0] + fragment * (100_000 // len(fragment))))
        assert time.perf_counter() - started < 2, fragment


def test_no_pattern_matches_an_empty_text():
    for row in (*secrets.SECRETS, *secrets.PRIVATE):
        assert re.compile(row.pattern, re.IGNORECASE).match("") is None
