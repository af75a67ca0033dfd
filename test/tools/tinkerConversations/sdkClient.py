"""Runs one short training with the official SDK, for recordTinker.ts. The server is that of TINKER_BASE_URL.

Usage: python sdkClient.py MODEL STOP
"""

import asyncio
import sys

import tinker
from tinker import types

MODEL, STOP = sys.argv[1], int(sys.argv[2])
PROMPT = [1, 2, 3]


def datum(tokens: list[int], targets: list[int], logprobs: list[float], advantages: list[float]):
    """Returns a training sample. Its lists have one entry per predicted token."""
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens),
        loss_fn_inputs={
            "target_tokens": types.TensorData(data=targets, dtype="int64", shape=[len(targets)]),
            "logprobs": types.TensorData(data=logprobs, dtype="float32", shape=[len(logprobs)]),
            "advantages": types.TensorData(data=advantages, dtype="float32", shape=[len(advantages)]),
        },
    )


async def refused(request) -> None:
    """Sends a request that the server must refuse."""
    try:
        await request
    except (tinker.TinkerError, ValueError):
        return
    raise RuntimeError("The server takes a request that it should refuse.")


async def main() -> None:
    service = tinker.ServiceClient(user_metadata={}, project_id="recorded")
    await service.get_server_capabilities_async()
    trained = await service.create_lora_training_client_async(
        base_model=MODEL, rank=8, seed=7, train_mlp=True, train_attn=True, train_unembed=False
    )
    sampler = await trained.save_weights_and_get_sampling_client_async()
    prompt = types.ModelInput.from_ints(PROMPT)
    sampling = types.SamplingParams(max_tokens=4, seed=5, stop=[STOP], temperature=0.75, top_k=20, top_p=0.5)
    await sampler.sample_async(prompt, num_samples=2, sampling_params=sampling)
    await sampler.compute_logprobs_async(prompt)
    data = [
        datum([1, 2, 3], [2, 3, 4], [0.0, -0.5, -0.25], [0.0, 1.0, 1.0]),
        datum([1, 2], [2, 7], [0.0, -2.0], [0.0, -1.5]),
    ]
    losses = {"ppo": {"clip_low_threshold": 0.75, "clip_high_threshold": 1.25}, "importance_sampling": None}
    for name, config in losses.items():
        await (await trained.forward_backward_async(data, name, config)).result_async()
        adam = types.AdamParams(
            learning_rate=0.01, beta1=0.9, beta2=0.95, eps=1e-8, weight_decay=0.5, grad_clip_norm=1.0
        )
        await (await trained.optim_step_async(adam)).result_async()
    saved = await (await trained.save_state_async("step-2")).result_async()
    weights = await (await trained.save_weights_for_sampler_async("step-2")).result_async()
    again = await service.create_lora_training_client_async(base_model=MODEL, rank=8, seed=7)
    await (await again.load_state_with_optimizer_async(saved.path)).result_async()
    await service.create_sampling_client_async(model_path=weights.path)
    await refused((await trained.load_state_with_optimizer_async("tinker://none/weights/none")).result_async())
    await service.create_sampling_client_async(base_model=MODEL)


asyncio.run(main())
