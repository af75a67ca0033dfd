from vllm import unusable

ChatTemplateContentFormat = str
ConversationMessage = dict
parse_chat_messages = unusable
parse_chat_messages_async = unusable
