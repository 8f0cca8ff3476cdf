"""Files as they are uploaded and kept: in memory, for as long as the local Telegram runs."""

from __future__ import annotations

import mimetypes
import secrets
from dataclasses import dataclass
from typing import Any

from codemojex.localtg.errors import bad_request, not_modelled
from codemojex.localtg.model import Raw

MAX_BYTES = 50_000_000
"""The largest file the Bot API takes."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in a request."""

    name: str
    mime: str
    content: bytes

    def __repr__(self) -> str:
        return f"<file {self.name!r}, {self.mime}, {len(self.content)} bytes>"


class Files:
    """What was uploaded, by file id."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Upload, Raw]] = {}

    def keep(self, upload: Upload) -> Raw:
        """The Document object of a fresh upload."""
        if not upload.content:
            raise bad_request("file must be non-empty")
        document: Raw = {
            "file_name": upload.name,
            "mime_type": upload.mime,
            "file_id": f"BQAC{secrets.token_urlsafe(40)}",
            "file_unique_id": f"AgAD{secrets.token_urlsafe(8)}",
            "file_size": len(upload.content),
        }
        self._kept[document["file_id"]] = upload, document
        return document

    def document(self, given: Upload | str) -> Raw:
        """The Document object of what a bot sends: a fresh upload, or the id of an earlier one."""
        if isinstance(given, Upload):
            return self.keep(given)
        if "://" in given:
            raise not_modelled("files by URL")
        if given not in self._kept:
            raise bad_request("wrong file identifier/HTTP URL specified")
        return self._kept[given][1]

    def __contains__(self, file_id: object) -> bool:
        return file_id in self._kept

    def __getitem__(self, file_id: str) -> Upload:
        return self._kept[file_id][0]


def uploaded(name: str, mime: str | None, content: bytes) -> Upload:
    """An upload as Telegram reads it: the type follows from the name where the client says none."""
    guessed = mimetypes.guess_type(name)[0]
    known = mime if mime and mime != "application/octet-stream" else guessed
    return Upload(name, known or "application/octet-stream", content)


def attach(params: Raw) -> Raw:
    """The parameters with each ``attach://name`` replaced by the file that came under that name."""
    found = dict(params)
    for name, value in params.items():
        if isinstance(value, str) and value.startswith("attach://"):
            file = value.removeprefix("attach://")
            if not isinstance(params.get(file), Upload):
                raise bad_request(f'there is no file "{file}" in the request')
            found[name] = params[file]
            found.pop(file, None)
    return found


def file(name: str, value: Any) -> Upload | str:
    """A parameter that is a file, or names one."""
    if isinstance(value, Upload | str):
        return value
    raise bad_request(f"{name} must be a file or a String")
