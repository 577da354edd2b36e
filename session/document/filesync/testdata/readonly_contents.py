"""A contents manager for which some files cannot be written, whoever asks.

Tests may run as root, whom file permissions do not bind.
"""

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError


def locked(path):
    return path.rsplit("/", 1)[-1].startswith("readonly")


class ReadOnlyContents(AsyncLargeFileManager):
    async def get(self, path, *args, **kwargs):
        model = await super().get(path, *args, **kwargs)
        if locked(path):
            model["writable"] = False
        return model

    async def save(self, model, path=""):
        if locked(path):
            raise HTTPError(403, f"Permission denied: {path}")
        return await super().save(model, path)
