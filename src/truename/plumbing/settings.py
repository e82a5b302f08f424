"""What can be set, by environment variables; docs/reference/settings.md is made from here."""

import difflib
import os
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from truename.plumbing import setting_values as values
from truename.vision.configuration import FaceRecipe, InferenceProvider

PREFIX = "TRUENAME_"
OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that name this very machine."""
OF_TESTS = {"TRUENAME_CHROMIUM"}
"""Names that only tests look at."""


class SettingsError(Exception):
    """The settings cannot be used; each sentence says which one and why."""

    def __init__(self, sentences: list[str]) -> None:
        self.sentences = sentences
        super().__init__("\n".join(sentences))


class Settings(BaseSettings):
    """Every setting has a default that suits a first try on one machine."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True, hide_input_in_errors=True
    )

    data_dir: Path = Field(Path("data"), description="Folder of all that must survive: database, images, master key.")
    host: str = Field("127.0.0.1", description="Address to listen on; `0.0.0.0` for all, behind a TLS proxy.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    public_url: Annotated[str | None, AfterValidator(values.a_web_url)] = Field(
        None,
        description="The address under which clients reach the service; also the issuer of its tokens. "
        "Default: `http://localhost:PORT`.",
    )

    database_url: Annotated[SecretStr | None, AfterValidator(values.a_postgres_url)] = Field(
        None,
        description="An existing PostgreSQL (15 or newer) instead of the embedded one: `postgresql://user:password@host/database`.",
    )
    keys_database_url: Annotated[SecretStr | None, AfterValidator(values.a_postgres_url)] = Field(
        None,
        description="A PostgreSQL database of its own for the keys of customers, whose backups may then be kept "
        "shorter than those of the data. Default: beside the customers. `truename keys move` moves them.",
    )
    database_connections: int = Field(10, ge=2, le=500, description="Most connections to the database per process.")
    storage_url: Annotated[str | None, AfterValidator(values.a_storage_url)] = Field(
        None,
        description="Where encrypted images go: `s3://bucket/prefix`, `gs://…`, `az://…` or a folder. An S3 store that "
        "is not Amazon's: `s3://bucket/prefix?endpoint=https://storage.example.com&region=eu&ca_file=/etc/ca.pem`. "
        "Default: the folder `media` of the data folder. Keys of the store come from its usual environment variables "
        "(`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`).",
    )
    master_key: SecretStr | None = Field(
        None,
        description="The master key itself: 32 bytes in base64. Several, separated by commas, while it is replaced: "
        "the first seals, the others still open. Wins over command and file.",
    )
    master_key_command: str | None = Field(
        None,
        description="A program that prints the master key (or several, one on each line), asked at each start: the "
        "door to a KMS or a secret store. Wins over the file.",
    )
    master_key_file: Path | None = Field(
        None,
        description="File of the master key, made at the first start; several keys on lines of their own while it is "
        "replaced. Default: `master.key` in the data folder.",
    )

    access_token_seconds: int = Field(3600, ge=60, le=86400, description="How long an access token lives.")
    client_requests_per_minute: int = Field(30000, ge=1, description="Requests of one client per minute, on average.")
    client_burst: int = Field(3000, ge=1, description="Requests that one client may make at once.")
    token_requests_per_minute: int = Field(600, ge=1, description="Access tokens of one client per minute, on average.")
    wrong_secrets_per_minute: int = Field(
        30,
        ge=1,
        description="Failed sign-ins of one client, and of one address, per minute that are answered with 401; more "
        "get 429. A right secret always passes.",
    )
    sdk_requests_per_minute: int = Field(
        600, ge=1, description="Requests that one capture (one SDK token) may make per minute, on average."
    )
    sdk_burst: int = Field(120, ge=1, description="Requests that one capture (one SDK token) may make at once.")

    http_head_bytes: int = Field(32768, ge=4096, le=1048576, description="Longest head of a request, in bytes.")
    http_headers: int = Field(100, ge=16, le=1000, description="Most headers of a request.")
    http_head_seconds: float = Field(10.0, gt=0, le=600, description="Most seconds for the head of a request to come.")
    http_body_seconds: float = Field(
        300.0, gt=0, le=3600, description="Most seconds for the body of a request to come."
    )
    http_body_bytes_per_second: int = Field(
        1024, ge=0, description="Slowest pace of a body, on average after its first ten seconds; 0 for any."
    )
    http_idle_seconds: float = Field(
        30.0,
        ge=1,
        le=3600,
        description="Seconds after which a connection is closed that asks for nothing, or does not read its answer.",
    )
    http_connections: int = Field(2000, ge=10, description="Most connections of one process; the idlest make room.")
    http_connections_per_address: int = Field(
        500, ge=1, description="Most connections of one address to one process, trusted proxies excepted."
    )
    http_bodies_mb: int = Field(
        256, ge=16, description="Most MiB of request bodies that one process holds at once before it asks to wait."
    )

    account_requests_at_once: int = Field(
        2, ge=1, description="Requests of one account that a process works on at once while others call; more wait."
    )
    account_requests_waiting: int = Field(
        500, ge=1, description="Requests of one account that may wait for their turn in a process; more get 429."
    )
    account_bodies_mb: int = Field(
        36, ge=16, description="MiB of large request bodies of one account that a process holds; more wait unread."
    )

    request_log_days: int = Field(7, ge=0, le=90, description="Days of the dashboard's log of requests; 0 keeps none.")
    dashboard_attempts_per_minute: int = Field(
        30,
        ge=1,
        description="Attempts to sign in to the dashboard that one address may make per minute. For one e-mail address "
        "it is ten at once and sixty an hour, from browsers that never signed in.",
    )
    dashboard_idle_minutes: int = Field(
        30, ge=2, le=1440, description="Minutes after which a dashboard session ends in which nobody did anything."
    )
    dashboard_session_hours: int = Field(
        12, ge=1, le=720, description="Hours after which a dashboard session ends in any case."
    )
    hsts_subdomains: bool = Field(
        True,
        description="Where `TRUENAME_PUBLIC_URL` is https, browsers are told never to try this host without TLS; with "
        "this neither any host below it. Switch it off where such names are others' and have no TLS.",
    )

    trusted_proxies: values.Networks = Field(
        (), description="Networks of the proxies whose `X-Forwarded-For` is believed, separated by commas."
    )
    webhook_allow: values.Receivers = Field(
        (),
        description="Otherwise forbidden receivers of webhooks that the operator allows, separated by commas: "
        "a host, a host with port, or a network. For tests and intranets.",
    )
    webhook_loopback: bool | None = Field(
        None,
        description="Whether sandbox and trial accounts may send webhooks to this machine, also by plain `http`. "
        "Default: only while `TRUENAME_PUBLIC_URL` is not set or names this machine; where others reach the service, "
        "its loopback is none of theirs.",
    )
    webhook_ca_file: Annotated[Path | None, AfterValidator(values.certificates)] = Field(
        None, description="A further certificate authority (PEM) that receivers of webhooks may use."
    )

    worker_concurrency: int = Field(4, ge=1, le=64, description="Jobs that one worker process runs at once.")
    late_result_seconds: int = Field(
        60,
        ge=1,
        le=86400,
        description="From so many seconds of expected wait on, the answer to a submission says when its result is "
        "expected.",
    )
    analyses: int = Field(1, ge=1, le=64, description="Transactions that one worker process looks at at once.")
    analysis_seconds: float = Field(
        300.0,
        ge=1,
        le=86400,
        description="Seconds that one look at a transaction may take. Then its worker process ends itself, and is to "
        "be started again; the transaction is FAILED once that has happened seven times.",
    )
    decoders: int = Field(
        2,
        ge=1,
        le=64,
        description="Pictures that one process decodes and looks at at once, each in a process of its own; "
        "one more takes those that are expected to take long.",
    )
    decoder_memory_mb: int = Field(
        512, ge=64, le=65536, description="Memory (MiB) that decoding one picture may take before it is refused."
    )
    decoder_seconds: float = Field(
        5.0, gt=0, le=600, description="Seconds of a processor that decoding one picture may take before it is refused."
    )
    models: Path | None = Field(
        None, description="TOML file that replaces or adds rows of the model table, with path and hash of each file."
    )
    layouts: Path | None = Field(None, description="Folder of layout files of your own, one `XX.toml` a country.")
    vision_threads: int = Field(1, ge=1, le=64, description="Threads that one model may use.")
    vision_provider: InferenceProvider = Field(
        InferenceProvider.CPU,
        description="On what onnxruntime runs the models: `cpu`, or `cuda` where `onnxruntime-gpu` is installed in "
        "place of `onnxruntime`. What it was not built for is refused at the start.",
    )
    vision_batch: int = Field(
        1,
        ge=1,
        le=64,
        description="Pictures of several transactions that one model is run on together, up to TRUENAME_ANALYSES at "
        "once. Pays on a GPU alone: a core takes as long for eight pictures at once as for eight, one by one.",
    )
    read_all_print: bool = Field(
        False,
        description="Read all print of a passport, for place of birth and issuing authority, also where what was read "
        "of it confirms the zone. Costs about as much time as the rest of the page.",
    )
    face_recipe: FaceRecipe = Field(
        FaceRecipe.SFACE_AND_MOBILEFACENET,
        description="Which networks make face templates: `sface+mobilefacenet`, `sface`, or `edgeface` once "
        "`truename models add edgeface` has fetched it. Every process of one service must have the same. Templates of "
        "another recipe are made anew from the stored picture (`truename models use` does it beforehand); where it is "
        "gone, the comparison fails with `OTHER_FACE_MODEL`.",
    )
    geoip_city_file: Path | None = Field(
        None, description="MaxMind or DB-IP file (.mmdb) for the place of an address, instead of the built-in data."
    )
    geoip_asn_file: Path | None = Field(None, description="MaxMind or DB-IP file (.mmdb) for networks of addresses.")
    anonymous_networks_file: Path | None = Field(
        None, description="Text file of VPN, proxy and Tor networks: one `NETWORK KIND` per line."
    )

    metrics_token: Annotated[SecretStr | None, Field(min_length=16)] = Field(
        None,
        description="With it `/metrics` answers whoever sends it as `Authorization: Bearer TOKEN` (16 characters or "
        "more). Without it there is no such page.",
    )

    screen_light: bool = Field(True, description="The capture page lights the face in a few slow colours.")
    traces_endpoint: Annotated[str | None, AfterValidator(values.a_collector)] = Field(
        None,
        description="Where OpenTelemetry spans go, e.g. http://collector:4318/v1/traces; without it none are made.",
    )
    log_format: Literal["text", "json"] = Field("text", description="How log lines look.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The least that is logged.")

    @model_validator(mode="before")
    @classmethod
    def _lower_log_words(cls, values: object) -> object:
        if isinstance(values, dict):
            return {
                key: value.lower() if key in ("log_format", "log_level") and isinstance(value, str) else value
                for key, value in values.items()
            }
        return values

    @property
    def base_url(self) -> str:
        """The address under which clients reach us, without a slash at the end."""
        return self.public_url or f"http://localhost:{self.port}"

    @property
    def opens_loopback(self) -> bool:
        """May accounts for tests send webhooks to this machine?"""
        if self.webhook_loopback is not None:
            return self.webhook_loopback
        host = urlsplit(self.base_url).hostname or ""
        return host in OWN_NAMES or host.endswith(".localhost")

    @property
    def key_file(self) -> Path:
        return self.master_key_file or self.data_dir / "master.key"

    @property
    def added_models_dir(self) -> Path:
        """Where `truename models add` keeps weights that are not installed with the others."""
        return self.data_dir / "models"

    @property
    def media_url(self) -> str:
        return self.storage_url or str(self.data_dir / "media")


def load_settings(**given: Any) -> Settings:
    """The settings of the environment, with those given by hand on top; raises SettingsError with one sentence each."""
    known = {name.upper() for name in Settings.model_fields}
    sentences = []
    for name in sorted(os.environ):
        own = name.removeprefix(PREFIX)
        if own != name and own not in known and name not in OF_TESTS:
            near = difflib.get_close_matches(own, known, n=1)
            sentences.append(f"{name} is not a setting." + (f" Did you mean {PREFIX}{near[0]}?" if near else ""))
    try:
        settings = Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False):
            field = str(fault["loc"][0]) if fault["loc"] else "settings"
            words = fault["msg"].removeprefix("Value error, ").replace("items after validation", "characters")
            sentences.append(f"{PREFIX}{field.upper()}: {words[:1].lower()}{words[1:]}.")
        raise SettingsError(sentences) from None
    if sentences:
        raise SettingsError(sentences)
    return settings
