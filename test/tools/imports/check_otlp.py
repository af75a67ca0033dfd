"""Parses an export to OTLP with OpenTelemetry's own messages, and looks its names up in the GenAI conventions.

Usage: check_otlp.py FILE (needs opentelemetry-proto and opentelemetry-semantic-conventions)
"""

import base64
import json
import sys

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

NAMES = {name for name in vars(gen_ai_attributes).values() if isinstance(name, str) and name.startswith("gen_ai.")}


def main(file: str) -> None:
    count = 0
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            for group in document["resourceSpans"]:
                for scope in group["scopeSpans"]:
                    for span in scope["spans"]:
                        for name in ("traceId", "spanId", "parentSpanId"):  # hex in OTLP, base64 in protobuf's JSON
                            if name in span:
                                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
            parsed = ParseDict(document, TracesData())  # refuses what it does not know
            spans = [span for group in parsed.resource_spans for scope in group.scope_spans for span in scope.spans]
            ids = {span.span_id for span in spans}
            assert len(ids) == len(spans), "ids of spans are unique"
            for span in spans:
                assert len(span.trace_id) == 16 and len(span.span_id) == 8
                assert span.parent_span_id in ids or not span.parent_span_id
                names = {attribute.key for attribute in span.attributes if attribute.key.startswith("gen_ai.")}
                assert names <= NAMES, f"not in the conventions: {names - NAMES}"
                assert 0 <= span.start_time_unix_nano <= span.end_time_unix_nano
            count += len(spans)
    print(f"{count} spans")


main(sys.argv[1])
