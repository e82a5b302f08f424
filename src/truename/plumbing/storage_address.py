"""Where are pictures kept? The address of TRUENAME_STORAGE_URL, taken apart, or a sentence that says why not."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

BUCKETS: Final = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "memory")
OPTIONS: Final = ("endpoint", "region", "ca_file")
"""What may follow the `?` of an s3:// address."""


@dataclass(frozen=True, slots=True)
class StorageAddress:
    """A folder, or a bucket with a prefix; the options are those of S3."""

    folder: Path | None = None
    bucket_url: str = ""
    """Without options: `s3://bucket/prefix`."""
    endpoint: str | None = None
    region: str | None = None
    ca_file: Path | None = None


def storage_address(text: str) -> StorageAddress:
    """Take an address apart. Raises ValueError with a sentence about what is wrong; secrets do not belong there."""
    parts = urlsplit(text)
    if parts.scheme in ("", "file") or len(parts.scheme) == 1:
        return StorageAddress(folder=Path(text.removeprefix("file://")))
    if parts.scheme not in BUCKETS:
        raise ValueError("must be a folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix")
    if "@" in parts.netloc and parts.scheme.startswith("s3"):
        raise ValueError("must not hold credentials; give AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
    if not parts.netloc and parts.scheme != "memory":
        raise ValueError("must name a bucket, as in s3://bucket/prefix")
    bare = parts._replace(query="", fragment="").geturl()
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := [name for name in options if name not in OPTIONS or not parts.scheme.startswith("s3")]:
        raise ValueError(f"has an unknown option {unknown[0]}; after s3://bucket/prefix? come {', '.join(OPTIONS)}")
    endpoint = options.get("endpoint")
    if endpoint is not None and (urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname):
        raise ValueError("has an endpoint that is no address such as https://storage.example.com")
    ca_file = Path(options["ca_file"]) if "ca_file" in options else None
    return StorageAddress(None, bare, endpoint and endpoint.rstrip("/"), options.get("region"), ca_file)
