from vllm import unusable

ModelConfig = unusable
