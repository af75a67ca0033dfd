"""Derives the episode's reward from its experiences by the rule of the algorithm, and finds responses that are not trained."""

from __future__ import annotations

import inspect
from typing import Any

from .episode import number_of, type_of
from .failures import WorkerFailure
from .plain import plain
from .trinity_engine import Ledger

#: Advantage functions by which the last step's reward alone counts, for all steps of a run.
LAST_STEP = {"step_wise_grpo"}
#: By algorithm, where the config names no advantage function.
USUAL_ADVANTAGE = {"multi_step_grpo": "step_wise_grpo"}


def output_of(returned: Any, cls: type, task: Any, ledger: Ledger, config: dict[str, Any]) -> dict[str, Any]:
    records = not hasattr(cls, "run") and hasattr(cls, "update_reward")
    if records:
        return recorded_output(returned, cls, ledger, config)
    experiences = experiences_of(returned, cls)
    metrics = averaged([one.metrics for one in experiences])
    if task.is_eval and metrics and all(one.reward is None for one in experiences):
        return evaluated(experiences, metrics)
    rewards = rewards_of(experiences, cls)
    problems = [*lost_answers(experiences, ledger), *foreign_parts(experiences, ledger)]
    return output_from(experiences, rewards, metrics, [*problems, *alone(cls, task, config)], config)


def output_from(
    experiences: list[Any],
    rewards: list[float],
    metrics: dict[str, Any],
    problems: list[dict[str, str]],
    config: dict[str, Any],
) -> dict[str, Any]:
    reward, problem = episode_reward(rewards, config)
    return {
        "reward": number_of(reward),
        "isSuccess": reward >= 1,
        "metadata": {"experiences": [plain(summary(one)) for one in experiences]},
        "logMetrics": plain(metrics),
        "problems": [*problems, *problem],
    }


def evaluated(experiences: list[Any], metrics: dict[str, float]) -> dict[str, Any]:
    """Returns the output of an evaluation, which only has metrics. The reward is `accuracy`, else the first metric."""
    name = "accuracy" if "accuracy" in metrics else next(iter(metrics))
    return {
        "reward": number_of(metrics[name]),
        "isSuccess": metrics[name] >= 1,
        "metadata": {"experiences": [plain(summary(one)) for one in experiences]},
        "logMetrics": plain(metrics),
        "problems": [
            {
                "code": "trinity-rewards",
                "message": f"The evaluation has no reward, so `{name}` is shown.",
            }
        ],
    }


def recorded_output(returned: Any, cls: type, ledger: Ledger, config: dict[str, Any]) -> dict[str, Any]:
    """Returns the output of a workflow with recorded calls, which returns metrics and calls `update_reward`."""
    if ledger.reward is None:
        raise WorkerFailure(
            "trinity/no-reward",
            f"{cls.__name__} ended without calling `update_reward`, so its LLM calls have no reward.",
            "Call await self.update_reward(reward) before run_async returns.",
            place_of(cls),
        )
    metrics = returned if isinstance(returned, dict) else {}
    for one in ledger.experiences:
        one.reward = ledger.reward
    return output_from(ledger.experiences, [ledger.reward], metrics, [], config)


def experiences_of(returned: Any, cls: type) -> list[Any]:
    from trinity.common.experience import Experience

    method = method_of(cls)
    if returned is None or (isinstance(returned, (list, tuple)) and len(returned) == 0):
        what = "None" if returned is None else "no experience"
        raise WorkerFailure(
            "trinity/no-experience",
            f"`{method}` of {cls.__name__} returned {what}. Trinity treats the run as failed.",
            "Return a list of experiences, such as those of self.model.chat.",
            place_of(cls),
        )
    if not isinstance(returned, (list, tuple)):
        raise wrong_return(cls, type_of(returned))
    odd = next((one for one in returned if not isinstance(one, Experience)), None)
    if odd is not None:
        raise wrong_return(cls, f"a list with {type_of(odd)}")
    return list(returned)


def wrong_return(cls: type, what: str) -> WorkerFailure:
    message = f"`{method_of(cls)}` of {cls.__name__} returned {what}, not a list of experiences."
    return WorkerFailure("trinity/no-experience", message, "Return the Experience objects in a list.", place_of(cls))


def rewards_of(experiences: list[Any], cls: type) -> list[float]:
    rewards = []
    for at, one in enumerate(experiences):
        reward = one.reward.item() if hasattr(one.reward, "item") else one.reward
        if isinstance(reward, bool) or not isinstance(reward, (int, float)):
            which = "The experience" if len(experiences) == 1 else f"Experience {at} of {len(experiences)}"
            has = "has no reward" if reward is None else f"has {type_of(reward)} as its reward"
            raise WorkerFailure(
                "trinity/no-reward",
                f"{which} that {cls.__name__} returned {has}, so the advantages of its group cannot be computed.",
                "Set experience.reward to a number before you return it.",
                place_of(cls),
            )
        rewards.append(float(reward))
    return rewards


def episode_reward(rewards: list[float], config: dict[str, Any]) -> tuple[float, list[dict[str, str]]]:
    """Returns the last reward if advantages are those of steps; else the mean, since each experience counts separately."""
    algorithm = config.get("algorithm") or {}
    kind = algorithm.get("algorithm_type") or "ppo"
    advantage = algorithm.get("advantage_fn") or USUAL_ADVANTAGE.get(kind)
    last = advantage in LAST_STEP
    reward = rewards[-1] if last else sum(rewards) / len(rewards)
    if len(set(rewards)) == 1:
        return reward, []
    listed = ", ".join(f"{one:g}" for one in rewards[:8]) + (", …" if len(rewards) > 8 else "")
    rule = (
        f"`{advantage}` uses only the last one, {reward:g}, for all steps of the run"
        if last
        else f"`{kind}` uses each separately, and the reward shown is their mean"
    )
    return reward, [{"code": "trinity-rewards", "message": f"The {len(rewards)} experiences have the rewards {listed}: {rule}."}]


def lost_answers(experiences: list[Any], ledger: Ledger) -> list[dict[str, str]]:
    """Finds responses of the model that are in no experience."""
    returned = [tokens_of(one) for one in experiences]
    replies = {text for tokens, texts in ledger.conversations if tokens in returned for text in texts}
    lost = [
        at for at, (text, tokens) in enumerate(ledger.answers) if tokens not in returned and text not in replies
    ]
    if not lost:
        return []
    places = ", ".join(str(at) for at in lost[:8]) + (", …" if len(lost) > 8 else "")
    message = (
        f"{len(lost)} of {len(ledger.answers)} responses of the model (from 0: {places}) are in none of the returned "
        "experiences, so they are not trained."
    )
    return [{"code": "trinity-untrained-replies", "message": message}]


def foreign_parts(experiences: list[Any], ledger: Ledger) -> list[dict[str, str]]:
    """Finds text that would be trained as text of the model but is not from the model."""
    answers = {text for text, _ in ledger.answers}
    known = [tokens for _, tokens in ledger.answers]
    foreign = 0
    for one in experiences:
        tokens = tokens_of(one)
        texts = next((texts for converted, texts in ledger.conversations if converted == tokens), None)
        ours = tokens in known if texts is None else all(text in answers for text in texts)
        foreign += not ours
    if foreign == 0:
        return []
    message = (
        f"{foreign} of {len(experiences)} experiences have responses that are not from the model in this episode. They "
        "are trained anyway."
    )
    return [{"code": "trinity-foreign-replies", "message": message}]


def alone(cls: Any, task: Any, config: dict[str, Any]) -> list[dict[str, str]]:
    """Reports a user's workflow that gets all repeats of a task at once in training, but one at a time here."""
    together = (config.get("explorer") or {}).get("max_repeat_times_per_runner")
    repeats = task.repeat_times or 1
    is_own = not getattr(cls, method_of(cls)).__module__.startswith("trinity.common.workflows.workflow")
    if not getattr(cls, "can_repeat", False) or repeats < 2 or together == 1 or not is_own:
        return []
    message = (
        f"{cls.__name__} sets `can_repeat`: training calls set_repeat_times({together or repeats}, …) and runs the "
        "repeats of a task together. Here each repeat is a separate episode."
    )
    return [{"code": "trinity-repeats", "message": message}]


def averaged(metrics: list[dict[str, Any]]) -> dict[str, float]:
    """Returns the metrics of a run as Trinity does: each metric over the experiences that have it."""
    values: dict[str, list[float]] = {}
    for one in metrics:
        for key, value in (one or {}).items():
            values.setdefault(key, []).append(value)
    return {key: sum(some) / len(some) for key, some in values.items()}


def summary(one: Any) -> dict[str, Any]:
    length = len(one.tokens) if one.tokens is not None else 0
    return {
        "step": one.eid.step,
        "reward": number_of(one.reward),
        "tokens": length,
        "promptLength": one.prompt_length,
        "response": one.response_text,
        "truncated": one.truncate_status,
        "metrics": one.metrics,
        "info": one.info,
    }


def tokens_of(one: Any) -> list[int]:
    return [] if one.tokens is None else list(one.tokens.tolist())


def method_of(cls: Any) -> str:
    return "run_async" if getattr(cls, "is_async", False) else "run"


def place_of(cls: Any) -> tuple[str | None, int | None]:
    code = getattr(inspect.unwrap(getattr(cls, method_of(cls), cls)), "__code__", None)
    return (None, None) if code is None else (code.co_filename, code.co_firstlineno)
