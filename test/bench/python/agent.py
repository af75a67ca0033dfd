import asyncio
import json

import openai
from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

from conversation import converse


class OneCall(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        query = workflow_task.task.main_query
        return WorkflowOutput(reward=float(len(query)))


class FiveCalls(Workflow):
    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        endpoint = tuner.as_oai_baseurl_apikey()
        said = await converse(endpoint.base_url, endpoint.api_key, workflow_task.task.main_query)
        return WorkflowOutput(reward=float(said))
