"""Conversations that chat templates are tried on, seeded."""

from strings import POOLS, Random

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Adds two numbers; \"quoted\", <b>bold</b> & 'single'.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number", "default": 0.5}},
                "required": ["a", "b"],
            },
        },
    },
    {
        "type": "function",
        "function": {"name": "搜索_search", "description": "", "parameters": {"type": "object", "properties": {}}},
    },
    {
        "type": "function",
        "function": {"name": "note", "parameters": {"type": "object", "additionalProperties": True, "enum": [None, False]}},
    },
]

ARGUMENTS = [
    {},
    {"a": 1, "b": -2.5},
    {"text": "line\nnext\t\"quoted\" \\ / é 世界 😀 \u2028 <&>'"},
    {"nested": {"list": [1, [2, {"deep": None}], True, False], "empty": {}, "none": []}},
    {"a": 1234567890123, "b": 0.1},
]

KINDS = ["words", "words", "words", "signs", "spaces", "numbers", "math", "code", "emoji", "specials"]


def text(random, most=12):
    pieces = (random.choose(POOLS[random.choose(KINDS)]) for _ in range(random.below(most)))
    return " ".join(pieces)


def reply(random):
    kind = random.below(6)
    if kind == 0:
        return ""
    if kind < 3:
        return "<think>\n" + text(random) + "\n</think>\n\n" + text(random)
    return text(random)


def call(random, number):
    function = {"name": random.choose(TOOLS)["function"]["name"], "arguments": random.choose(ARGUMENTS)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def turns(random):
    """A question, perhaps calls and their results, an answer."""
    yield {"role": "user", "content": text(random)}
    if random.below(2) == 0:
        calls = [call(random, number) for number in range(1 + random.below(2))]
        yield {"role": "assistant", "content": reply(random), "tool_calls": calls}
        for made in calls:
            yield {"role": "tool", "content": text(random), "tool_call_id": made["id"]}
    yield {"role": "assistant", "content": reply(random)}


def conversation(seed):
    random = Random(seed)
    systems = random.below(4)
    messages = [{"role": "system", "content": text(random)} for _ in range(systems)]
    for _ in range(1 + random.below(3)):
        messages.extend(turns(random))
        if random.below(8) == 0:
            messages.append({"role": "system", "content": text(random)})
    if random.below(2) == 0:
        messages.append({"role": "user", "content": text(random)})
    if random.below(12) == 0:
        messages.append({"role": "critic", "content": "No."})
    tools = TOOLS[: 1 + random.below(3)] if random.below(2) == 0 else None
    return {"messages": messages, "tools": tools, "addGenerationPrompt": random.below(2) == 0}
