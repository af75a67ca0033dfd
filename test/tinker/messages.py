"""Reads and writes protobuf messages as the official SDK does, for messages.test.ts.

Standard input has `{"requests": [BASE64], "samples": [VALUE], "passes": [VALUE]}`. Standard output has the requests as values,
and the results as messages.
"""

import base64
import json
import sys

import numpy as np
from tinker.proto import tinker_public_pb2 as pb

TYPES = {pb.DTYPE_FLOAT32: np.float32, pb.DTYPE_INT64: np.int64}


def array(values: list, dtype: type) -> bytes:
    return np.array(values, dtype=dtype).tobytes()


def tensor(message: pb.Tensor) -> dict:
    dense = np.frombuffer(message.dense, dtype=TYPES[message.dtype]).tolist()
    return {"dense": dense, "dtype": message.dtype, "shape": list(message.shape)}


def request(text: str) -> dict:
    message = pb.ForwardBackwardRequest.FromString(base64.b64decode(text))
    return {
        "modelId": message.model_id,
        "seqId": message.seq_id,
        "lossFn": message.loss_fn,
        "lossFnConfig": dict(message.loss_fn_config),
        "forwardOnly": message.forward_only,
        "data": [
            {
                "modelInput": [
                    {"encodedText": {"tokens": np.frombuffer(chunk.encoded_text.tokens, dtype=np.int32).tolist()}}
                    for chunk in datum.model_input
                ],
                "lossFnInputs": {name: tensor(value) for name, value in datum.loss_fn_inputs.items()},
            }
            for datum in message.data
        ],
    }


def samples(value: dict) -> pb.SampleResponse:
    reasons = {"stop": pb.STOP_REASON_STOP, "length": pb.STOP_REASON_LENGTH}
    return pb.SampleResponse(
        sequences=[
            pb.SampledSequence(
                stop_reason=reasons[each["stopReason"]],
                tokens=array(each["tokenIds"], np.int32),
                logprobs=array(each["logprobs"], np.float32),
            )
            for each in value["sequences"]
        ],
        prompt_logprobs=array(value["promptLogprobs"], np.float32),
        prompt_cache_hit_tokens=3,
    )


def training_pass(value: dict) -> pb.ForwardBackwardOutput:
    """The outputs of the first datum are one record, those of the others another."""
    output = pb.ForwardBackwardOutput(loss_fn_output_type="TensorData", metrics=value["metrics"])
    logprobs = value["logprobs"]
    for part in (logprobs[:1], logprobs[1:]):
        ends = np.cumsum([0, *(4 * len(each) for each in part)])
        record = output.loss_fn_outputs.add(type_tag="TensorData", num_datums=len(part))
        record.fields["logprobs"].CopyFrom(
            pb.BatchedTensor(
                data=b"".join(array(each, np.float32) for each in part),
                offsets=array(ends, np.int64),
                dtype=pb.DTYPE_FLOAT32,
            )
        )
    return output


def encoded(message) -> str:
    return base64.b64encode(message.SerializeToString()).decode()


given = json.load(sys.stdin)
json.dump(
    {
        "requests": [request(text) for text in given["requests"]],
        "samples": [encoded(samples(value)) for value in given["samples"]],
        "passes": [encoded(training_pass(value)) for value in given["passes"]],
    },
    sys.stdout,
)
