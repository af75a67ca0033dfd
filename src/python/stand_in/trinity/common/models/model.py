"""The access of a workflow to the model being trained and to the other models of the config."""

from __future__ import annotations

import asyncio
import copy
from typing import Any, Callable, Dict, List, Optional

from trinity.common.config import InferenceModelConfig
from trinity.common.experience import Experience
from trinity.utils.log import get_logger

NO_API = "API server is not enabled for this model. OpenAI client is unavailable."


class ModelWrapper:
    """
    The engine is the run's gateway. Answers are recorded as experiences in `history` where
    `explorer.rollout_model.enable_history` is on, and there are OpenAI clients where `enable_openai_api` is.
    """

    def __init__(
        self,
        model: Any,
        engine_type: str = "vllm",
        enable_lora: bool = False,
        enable_history: bool = False,
        config: Optional[InferenceModelConfig] = None,
    ) -> None:
        self.model = model
        self.engine_type = engine_type
        self.config = config or InferenceModelConfig()
        self.enable_lora = enable_lora
        self.enable_history = enable_history
        self.history: List[Experience] = []
        self.openai_client: Any = None
        self.openai_async_client: Any = None
        self.workflow_state: Dict[str, Any] = {}
        self.logger = get_logger(__name__)

    @property
    def api_address(self) -> Optional[str]:
        """Without the `/v1`."""
        return self.model.base_url[: -len("/v1")] if self.config.enable_openai_api else None

    @property
    def base_url(self) -> str:
        return self.model.base_url

    @property
    def api_key(self) -> str:
        return self.model.api_key

    def set_api_key(self, api_key: str) -> None:
        """The engine's key names the episode already."""

    @property
    def model_name(self) -> Optional[str]:
        return self.config.name or self.config.model_path

    @property
    def model_path(self) -> str:
        return self.config.model_path or ""

    @property
    async def model_path_async(self) -> str:
        return self.model_path

    @property
    def model_version(self) -> int:
        """Nothing is trained here."""
        return 0

    @property
    async def model_version_async(self) -> int:
        return self.model_version

    @property
    def model_config(self) -> InferenceModelConfig:
        return self.config

    @property
    def generate_kwargs(self) -> Dict[str, Any]:
        config = self.config
        options: Dict[str, Any] = {
            "temperature": config.temperature,
            "top_p": config.top_p,
            "max_tokens": config.max_response_tokens,
        }
        if config.enable_thinking is not None:
            options["extra_body"] = {"chat_template_kwargs": {"enable_thinking": config.enable_thinking}}
        return options

    async def prepare(self) -> None:
        """It is ready."""

    def chat(self, messages: List[dict], **options: Any) -> List[Experience]:
        return self._recorded(self.model.chat(messages, options, self.config))

    async def chat_async(self, messages: List[dict], **options: Any) -> List[Experience]:
        return self._recorded(await self._elsewhere(lambda: self.model.chat(messages, options, self.config)))

    def generate(self, prompts: List[str], **options: Any) -> List[Experience]:
        raise NotImplementedError(
            "The debug backbone does not support `generate`, because its models only answer conversations. "
            "Use `chat` to debug the workflow."
        )

    async def generate_async(self, prompts: List[str], **options: Any) -> List[Experience]:
        return self.generate(prompts, **options)

    def logprobs(self, tokens: List[int], temperature: Optional[float] = None) -> Any:
        raise NotImplementedError(
            "The debug backbone cannot compute log probabilities of given tokens, because it has no inference engine."
        )

    async def logprobs_async(self, tokens: List[int], temperature: Optional[float] = None) -> Any:
        return self.logprobs(tokens, temperature)

    def convert_messages_to_experience(
        self, messages: List[dict], tools: Optional[List[dict]] = None, temperature: Optional[float] = None
    ) -> Experience:
        """A whole conversation as one experience; its log probabilities, which only an engine knows, are 0 here."""
        return self.model.convert(messages, tools, self.config)

    async def convert_messages_to_experience_async(
        self, messages: List[dict], tools: Optional[List[dict]] = None, temperature: Optional[float] = None
    ) -> Experience:
        return await self._elsewhere(lambda: self.model.convert(messages, tools, self.config))

    async def get_message_token_len(self, messages: List[dict]) -> int:
        return await self._elsewhere(lambda: self.model.count(messages))

    def get_openai_client(self) -> Any:
        if self.openai_client is None:
            self.openai_client = self.model.openai_client("OpenAI", self._required())
            create = self.openai_client.chat.completions.create

            def recording(*given: Any, **options: Any) -> Any:
                completion = create(*given, **self._asked(options))
                self._answered(options, completion)
                return completion

            self.openai_client.chat.completions.create = recording
        self.openai_client.model_path = self.model_path
        return self.openai_client

    def get_openai_async_client(self) -> Any:
        if self.openai_async_client is None:
            self.openai_async_client = self.model.openai_client("AsyncOpenAI", self._required())
            create = self.openai_async_client.chat.completions.create

            async def recording(*given: Any, **options: Any) -> Any:
                completion = await create(*given, **self._asked(options))
                await self._elsewhere(lambda: self._answered(options, completion))
                return completion

            self.openai_async_client.chat.completions.create = recording
        self.openai_async_client.model_path = self.model_path
        return self.openai_async_client

    def extract_experience_from_history(self, clear_history: bool = True) -> List[Experience]:
        if not self.enable_history:
            raise ValueError("The model keeps no history. Set `explorer.rollout_model.enable_history: true`.")
        found = list(self.history)
        if clear_history:
            self.history.clear()
        return found

    async def set_workflow_state(self, state: Dict[str, Any]) -> None:
        self.workflow_state.update(state)

    async def clean_workflow_state(self) -> None:
        self.workflow_state = {}
        self.history.clear()

    async def get_workflow_state(self) -> Dict[str, Any]:
        return dict(self.workflow_state)

    def clone_with_isolated_history(self) -> ModelWrapper:
        clone = copy.copy(self)
        clone.openai_client = None
        clone.openai_async_client = None
        clone.history = []
        return clone

    async def update_experience_reward_async(
        self, key: str, reward: float, info: Optional[dict] = None, sample_ids: Optional[List[str]] = None
    ) -> None:
        """Sets the reward and further information of the calls with the episode's key."""
        self.model.rewarded(reward, info, sample_ids)

    def _required(self) -> InferenceModelConfig:
        if self.api_address is None:
            raise ValueError(NO_API)
        return self.config

    def _asked(self, options: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the options of a recorded call as Trinity's client sends them, with log probabilities and token ids."""
        if not self.enable_history:
            return options
        body = dict(options.get("extra_body") or {})
        if self.config.enable_thinking is not None:
            template = {**(body.get("chat_template_kwargs") or {}), "enable_thinking": self.config.enable_thinking}
            body["chat_template_kwargs"] = template
        return {"logprobs": True, **options, "extra_body": {**body, "return_token_ids": True}}

    def _answered(self, options: Dict[str, Any], completion: Any) -> None:
        """Records a completion. A stream is not recorded; Trinity fails on one while it records."""
        if not hasattr(completion, "choices"):
            return
        made = self.model.answered(options.get("messages") or [], options.get("tools"), completion.model_dump())
        if self.enable_history:
            self.history.extend(made)

    def _recorded(self, made: List[Experience]) -> List[Experience]:
        if self.enable_history:
            self.history.extend(made)
        return made

    async def _elsewhere(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, work)
