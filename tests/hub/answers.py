"""What the hub answers to one request: status, headers and body, without any socket.

Left out: writing, datasets, Xet, and compressed answers.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from shelf import Repository, Stored, commit, listing, stored

_ID = r"(?P<id>[^/]+(?:/[^/]+)?)"
_RESOLVE = re.compile(rf"/{_ID}/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_CDN = re.compile(rf"/cdn/{_ID}/(?P<revision>[0-9a-f]{{40}})/(?P<path>.+)")
_API = re.compile(
    rf"/api/models/{_ID}"
    r"(?:/revision/(?P<revision>[^/]+)|/tree/(?P<tree>[^/]+)(?:/(?P<under>.+))?)?"
)
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True)
class Answer:
    """What is sent back; `file` is the path in the repository where the body is a file's bytes."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    file: str = ""
    drop_after: int | None = None
    rate: int | None = None


@dataclass(frozen=True)
class Asked:
    """One request; `token` is what the Authorization header carries."""

    method: str
    target: str
    range: str | None
    token: str | None

    @property
    def path(self) -> str:
        """The target without its query."""
        return urlsplit(self.target).path


@dataclass
class Shelf:
    """Everything the hub knows, and where its other host is."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    cdn: str = ""

    def answer(self, asked: Asked) -> Answer:
        """The answer, spoilt by the faults whose turn it is."""
        match = next(
            (found for each in (_CDN, _RESOLVE, _API) if (found := each.fullmatch(asked.path))),
            None,
        )
        if match is None:
            return _refusal(404, "", "Sorry, we can't find the page you are looking for.")
        name = unquote(match["id"])
        if name in self.renamed:
            there = asked.target.replace(match["id"], self.renamed[name], 1)
            return Answer(307, {"Location": there})
        repository = self.repositories.get(name)
        path = unquote(match.groupdict().get("path") or "")
        for fault in repository.faults if repository else ():
            if fault.kind == "status" and fault.take(path, asked.path):
                retry = {"Retry-After": "30"} if fault.value == 429 else {}
                return _refusal(fault.value, "", "Spoilt on purpose.", **retry)
        if match.re is _CDN:
            return self._from_cdn(repository, match, asked)
        barred = self._barred(repository, asked.token, api=match.re is _API)
        if barred is not None:
            return barred
        assert repository is not None
        serve = self._information if match.re is _API else self._resolved
        return serve(repository, match, asked)

    def _barred(self, repository: Repository | None, token: str | None, api: bool) -> Answer | None:
        if token in self.revoked:
            return _refusal(401, "", "Invalid credentials in Authorization header")
        allowed = repository is not None and token is not None and token == repository.token
        if repository is None or (repository.private and not allowed):
            # The real hub leaves the code out of a 401, and its library goes by the address, but
            # only by one that begins with https.
            if token is None:
                return _refusal(401, "RepoNotFound", "Invalid username or password.")
            return _refusal(404, "RepoNotFound", "Repository not found")
        # Of a gated repository anybody may see what files it has.
        if repository.gated and not allowed and not api:
            text = f"Access to model {repository.name} is restricted"
            if token is None:
                return _refusal(
                    401, "GatedRepo", f"{text}. You must be authenticated. Please log in."
                )
            return _refusal(403, "GatedRepo", f"{text} and you are not in the authorized list.")
        return None

    def _information(self, repository: Repository, match: re.Match[str], asked: Asked) -> Answer:
        revision = unquote(match["tree"] or match["revision"] or "main")
        folder = repository.folder(revision)
        if folder is None:
            return _no_revision(revision)
        if match["tree"]:
            return _tree(folder, unquote(match["under"] or ""))
        blobs = "blobs" in parse_qs(urlsplit(asked.target).query)
        names = [
            each.described() if blobs else {"rfilename": each.path} for each in listing(folder)
        ]
        about = {
            "id": repository.name,
            "modelId": repository.name,
            "sha": commit(folder),
            "private": repository.private,
            "gated": "manual" if repository.gated else False,
            "disabled": False,
            "tags": [],
            "siblings": names,
        }
        return _json({**about, **repository.information})

    def _resolved(self, repository: Repository, match: re.Match[str], asked: Asked) -> Answer:
        revision, path = unquote(match["revision"]), unquote(match["path"])
        folder = repository.folder(revision)
        if folder is None:
            return _no_revision(revision)
        at = commit(folder)
        file = stored(folder, path)
        if file is None:
            return _refusal(404, "EntryNotFound", "Entry not found", **{"X-Repo-Commit": at})
        headers = {"X-Repo-Commit": at, "ETag": f'"{file.etag}"', "Accept-Ranges": "bytes"}
        if file.lfs:
            headers |= {"X-Linked-Size": str(file.size), "X-Linked-Etag": f'"{file.etag}"'}
        if file.lfs and repository.redirected:
            place = quote(f"/cdn/{repository.name}/{at}/{path}")
            there = f"{self.cdn}{place}?signature={_signature(file)}"
            return _changed(repository, Answer(302, {**headers, "Location": there}), asked, path)
        return _spoilt(repository, folder / path, Answer(200, headers, file=path), asked)

    def _from_cdn(
        self, repository: Repository | None, match: re.Match[str], asked: Asked
    ) -> Answer:
        folder = repository.folder(match["revision"]) if repository else None
        path = unquote(match["path"])
        file = stored(folder, path) if folder else None
        if repository is None or folder is None or file is None:
            return Answer(404)
        if parse_qs(urlsplit(asked.target).query).get("signature") != [_signature(file)]:
            return Answer(403)
        headers = {"ETag": f'"{file.etag}"', "Accept-Ranges": "bytes"}
        return _spoilt(repository, folder / path, Answer(200, headers, file=path), asked)


def _spoilt(repository: Repository, place: Path, plain: Answer, asked: Asked) -> Answer:
    """The part of the file that was asked for, and what the faults make of it."""
    faults: dict[str, int] = {
        fault.kind: fault.value
        for fault in repository.faults
        if fault.kind not in {"status", "changing etag"}
        and asked.method == "GET"
        and fault.take(plain.file, asked.path)
    }
    answer = _changed(repository, plain, asked, plain.file)
    wanted = None if "whole" in faults else asked.range
    if "whole" in faults:
        answer.headers.pop("Accept-Ranges")
    answer = _part(answer, place.read_bytes(), wanted, faults)
    return replace(answer, drop_after=faults.get("drop"), rate=faults.get("slow"))


def _changed(repository: Repository, answer: Answer, asked: Asked, path: str) -> Answer:
    for fault in repository.faults:
        if fault.kind == "changing etag" and fault.take(path, asked.path):
            fault.value += 1
            tags = [name for name in ("ETag", "X-Linked-Etag") if name in answer.headers]
            other = f'"{hashlib.sha256(str(fault.value).encode()).hexdigest()}"'
            return replace(answer, headers={**answer.headers, **dict.fromkeys(tags, other)})
    return answer


def _part(answer: Answer, contents: bytes, wanted: str | None, faults: Mapping[str, int]) -> Answer:
    match = _RANGE.fullmatch(wanted.replace(" ", "")) if wanted else None
    size = len(contents)
    if match is None or match.groups() == ("", ""):
        return replace(answer, body=contents[: size - faults.get("short", 0)])
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if start >= stop:
        return Answer(416, {"Content-Range": f"bytes */{size}"})
    stop -= faults.get("short", 0)
    said = start + faults.get("wrong range", 0)
    headers = {**answer.headers, "Content-Range": f"bytes {said}-{said + stop - start - 1}/{size}"}
    return replace(answer, status=206, headers=headers, body=contents[start:stop])


def _tree(folder: Path, under: str) -> Answer:
    if not (folder / under).is_dir():
        return _refusal(404, "EntryNotFound", f"{under} does not exist")
    entries: list[dict[str, Any]] = []
    for each in sorted((folder / under).iterdir()):
        path = each.relative_to(folder).as_posix()
        file = stored(folder, path)
        if file is None:
            oid = hashlib.sha1(path.encode()).hexdigest()
            entries.append({"type": "directory", "path": path, "size": 0, "oid": oid})
        else:
            entry = {"type": "file", "path": path, "size": file.size, "oid": file.blob}
            lfs = {"oid": file.sha256, "size": file.size, "pointerSize": 134}
            entries.append({**entry, "lfs": lfs} if file.lfs else entry)
    return _json(entries)


def _signature(file: Stored) -> str:
    return hashlib.sha1(file.sha256.encode()).hexdigest()


def _json(value: Any) -> Answer:
    return Answer(200, {"Content-Type": "application/json"}, json.dumps(value).encode())


def _no_revision(revision: str) -> Answer:
    return _refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}")


def _refusal(status: int, code: str, message: str, **headers: str) -> Answer:
    said = {"X-Error-Code": code} if code else {}
    body = json.dumps({"error": message}).encode()
    about = {"Content-Type": "application/json", "X-Error-Message": message}
    return Answer(status, {**about, **said, **headers}, body)
