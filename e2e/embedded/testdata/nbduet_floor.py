"""The least that a handler of Jupyter Server costs: one that is let in as any other, and answers with a constant."""

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import authenticated

ANSWER = b'{"answer": "' + b"x" * 1000 + b'"}'


class FloorHandler(APIHandler):
    auth_resource = "contents"

    @authenticated
    @authorized
    async def post(self) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(ANSWER)


def _load_jupyter_server_extension(app) -> None:
    app.web_app.add_handlers(".*", [(url_path_join(app.base_url, "floor"), FloorHandler)])


def _jupyter_server_extension_points():
    return [{"module": "nbduet_floor"}]
