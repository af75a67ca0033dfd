"""The model that functions are given, by the names that they know it by."""

from agentjet_worker.chat_model import ChatModel, ChatResponse

ChatModelBase = OpenAIChatModel = TrinityChatModel = ChatModel

__all__ = ["ChatModelBase", "ChatResponse", "OpenAIChatModel", "TrinityChatModel"]
