"""The calculator: its description for the model, and the code that runs it."""

import math
import re
from typing import Any, Dict, List, Optional

#: What the model is told about the tool: its name, what it does, and a JSON schema of its arguments.
CALCULATE_TOOL: Dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "calculate",
        "description": "Evaluates an arithmetic expression and returns its value.",
        "parameters": {
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "description": "Numbers, + - * / and parentheses, e.g. (12 + 8) * 3",
                },
            },
            "required": ["expression"],
            "additionalProperties": False,
        },
    },
}


def run_calculate(arguments: Dict[str, Any]) -> str:
    """Runs one call. A model may send anything, so what it did wrong comes back as text it can read."""
    try:
        expression = arguments.get("expression")
        if not isinstance(expression, str):
            raise ValueError('the argument "expression" must be a string')
        return shown(evaluate(expression))
    except (ValueError, RecursionError) as error:
        return f"Error: {error}"


def evaluate(expression: str) -> float:
    """The value of an expression, rounded to 12 significant digits. Raises ValueError on anything else."""
    parser = Parser(expression)
    value = parser.sum()
    if parser.ahead is not None:
        raise ValueError(f'"{parser.ahead}" is not expected here')
    if not math.isfinite(value):
        raise ValueError("the result is not a finite number")
    return float(f"{value:.12g}")


def shown(value: float) -> str:
    """12 and not 12.0."""
    return str(int(value)) if value.is_integer() else str(value)


class Parser:
    def __init__(self, expression: str) -> None:
        self._tokens: List[str] = re.findall(r"\d+(?:\.\d+)?|\.\d+|[-+*/()]|\S", expression, re.ASCII)
        self._position = 0
        if not self._tokens:
            raise ValueError("the expression is empty")

    @property
    def ahead(self) -> Optional[str]:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self) -> Optional[str]:
        token = self.ahead
        self._position += 1
        return token

    def sum(self) -> float:
        """product (("+" | "-") product)*"""
        value = self.product()
        while self.ahead in ("+", "-"):
            value = value + self.product() if self._take() == "+" else value - self.product()
        return value

    def product(self) -> float:
        """factor (("*" | "/") factor)*"""
        value = self.factor()
        while self.ahead in ("*", "/"):
            value = value * self.factor() if self._take() == "*" else quotient(value, self.factor())
        return value

    def factor(self) -> float:
        """("+" | "-") factor | "(" sum ")" | number"""
        token = self._take()
        if token is None:
            raise ValueError("the expression ends too early")
        if token == "-":
            return -self.factor()
        if token == "+":
            return self.factor()
        if token == "(":
            value = self.sum()
            if self._take() != ")":
                raise ValueError("a closing parenthesis is missing")
            return value
        if not re.fullmatch(r"[\d.]+", token, re.ASCII) or token == ".":
            raise ValueError(f'"{token}" is not expected here')
        return float(token)


def quotient(dividend: float, divisor: float) -> float:
    if divisor == 0:
        raise ValueError("the result is not a finite number")
    return dividend / divisor
