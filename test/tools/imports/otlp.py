"""Writes OTLP/JSON of an OpenAI client, instrumented by OpenTelemetry, that talks to a server of ours on loopback.

Usage: otlp.py OUT LOG; OUT: a document of OTLP, LOG: requests and responses of the same calls as JSON lines.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

from google.protobuf.json_format import MessageToDict  # noqa: E402
from openai import OpenAI  # noqa: E402
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans  # noqa: E402
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor  # noqa: E402
from opentelemetry.sdk.resources import Resource  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402

TOOLS = [{"type": "function", "function": {"name": "add", "description": "adds", "parameters": {"type": "object", "properties": {}}}}]
CALL = {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 1}'}}


class Server(BaseHTTPRequestHandler):
    log = []

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asks_tool = request["messages"][-1]["role"] != "tool" and "tools" in request
        message = {"role": "assistant", "content": None, "tool_calls": [CALL]} if asks_tool else {"role": "assistant", "content": "It is 2. ✓"}
        response = {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1790000000, "model": "a-model-1",
            "choices": [{"index": 0, "finish_reason": "tool_calls" if asks_tool else "stop", "message": message}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 4, "total_tokens": 16},
        }
        self.log.append({"request": request, "response": response})
        body = json.dumps(response).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def main(out: str, log: str) -> None:
    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "sums"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    client = OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
    tracer = provider.get_tracer("workflow")
    for _ in range(2):
        with tracer.start_as_current_span("episode"):
            messages = [{"role": "system", "content": "Add."}, {"role": "user", "content": "What is 1 + 1?"}]
            first = client.chat.completions.create(model="a-model", messages=messages, tools=TOOLS, temperature=0.5)
            messages += [first.choices[0].message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": "call_1", "content": "2"}]
            client.chat.completions.create(model="a-model", messages=messages, tools=TOOLS, temperature=0.5)
    server.shutdown()
    spans = exporter.get_finished_spans()
    document = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):  # OTLP's JSON has ids in hex
                    if name in span:
                        span[name] = __import__("base64").b64decode(span[name]).hex()
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
    with open(log, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in Server.log)


main(sys.argv[1], sys.argv[2])
