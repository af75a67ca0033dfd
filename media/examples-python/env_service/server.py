"""
The service's HTTP side: every request is a POST of one JSON object to /<endpoint>. Start it with

    python3 server.py [port]

It prints when an instance is made and when it is released.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from service import ShopService, stock_of


def tell(line: str) -> None:
    print(line, flush=True)


STOCK = stock_of(json.loads(Path(__file__).with_name("data").joinpath("shop.json").read_text("utf-8")))
SERVICE = ShopService(STOCK, tell)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
        status, value = SERVICE.answer(self.path.rpartition("/")[2], body)
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Only instances are told of."""


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8093
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    tell(f"listening on http://127.0.0.1:{server.server_port}")
    server.serve_forever()


main()
