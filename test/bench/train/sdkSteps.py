"""Trains with the official SDK, by the requests of a recorded step. Each line of standard input is a step.

Prints the milliseconds of each. The server is that of TINKER_BASE_URL.

Usage: python sdkSteps.py STEP.json
"""

import asyncio
import json
import sys
import time

import tinker
from tinker import types


def datum(shown: dict) -> types.Datum:
    names = {1: "float32", 2: "int64"}
    inputs = {
        name: types.TensorData(data=tensor["dense"], dtype=names[tensor["dtype"]], shape=tensor["shape"])
        for name, tensor in shown["lossFnInputs"].items()
    }
    tokens = shown["modelInput"][0]["encodedText"]["tokens"]
    return types.Datum(model_input=types.ModelInput.from_ints(tokens), loss_fn_inputs=inputs)


class Step:
    """The requests of a step."""

    def __init__(self, recorded: dict) -> None:
        self.samples = [
            (
                types.ModelInput.from_ints(sample["prompt"]["chunks"][0]["tokens"]),
                sample["num_samples"],
                types.SamplingParams(**sample["sampling_params"]),
            )
            for sample in recorded["samples"]
        ]
        self.passes = [
            ([datum(shown) for shown in each["data"]], each["lossFn"], each["lossFnConfig"]) for each in recorded["passes"]
        ]
        self.adam = [types.AdamParams(**params) for params in recorded["steps"]]

    async def run(self, trained: tinker.TrainingClient) -> None:
        sampler = await trained.save_weights_and_get_sampling_client_async()
        await asyncio.gather(
            *(sampler.sample_async(prompt, count, sampling) for prompt, count, sampling in self.samples)
        )
        # SkyRL can take the step before the gradients, so it is sent when they are there.
        for (data, loss, config), adam in zip(self.passes, self.adam, strict=True):
            await (await trained.forward_backward_async(data, loss, config)).result_async()
            await (await trained.optim_step_async(adam)).result_async()


async def main() -> None:
    with open(sys.argv[1], encoding="utf8") as file:
        recorded = json.load(file)
    step = Step(recorded)
    service = tinker.ServiceClient()
    trained = await service.create_lora_training_client_async(base_model=recorded["model"], rank=8)
    while await asyncio.to_thread(sys.stdin.readline):
        start = time.perf_counter()
        await step.run(trained)
        print(1000 * (time.perf_counter() - start), flush=True)


asyncio.run(main())
